import type { Run } from "../../../Oracle.js"
import { type CompletedCall, happened, isDone, mayBeDone } from "../trace/Happened.js"
import { into } from "../trace/into.js"

/** The stretches of history that users deleted (decision retention-choice-4). */

type Erasing = CompletedCall<"eraseHistory">

const NONE: ReadonlyArray<Erasing> = []
const known = new WeakMap<object, ReadonlyMap<string, ReadonlyArray<Erasing>>>()

/** The user's deletions of stretches of history that had an effect, or may have had an effect. */
export const erasuresOf = (run: Run, userId: string): ReadonlyArray<Erasing> => {
  const all = known.get(run) ?? read(run)
  known.set(run, all)
  return all.get(userId) ?? NONE
}

const read = (run: Run): ReadonlyMap<string, ReadonlyArray<Erasing>> => {
  const found = new Map<string, Array<Erasing>>()
  for (const operation of happened(run).of("eraseHistory"))
    if (mayBeDone(operation)) into(found, operation.args.userId, operation)
  return found
}

const covers = ({ args: { from, until } }: Erasing, at: number): boolean => from <= at && at < until

/**
 * Whether the user deleted the history of the moment `at`. `yes`: a deletion that includes this moment was done before
 * the trace entry `begin`. `maybe`: such a deletion had begun before the trace entry `end`. `no`: neither.
 */
export const erased = (run: Run, userId: string, at: number, begin: number, end: number): "yes" | "maybe" | "no" => {
  let answer: "maybe" | "no" = "no"
  for (const one of erasuresOf(run, userId)) {
    if (one.begin > end || !covers(one, at)) continue
    if (isDone(one) && one.end < begin) return "yes"
    answer = "maybe"
  }
  return answer
}
