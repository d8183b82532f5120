import type { Run } from "../../Oracle.js"
import { answered, saysPaused } from "../support/Answers.js"
import { course, type Note } from "../support/courses/Course.js"
import { isFiring, rows } from "../support/deliveries/Firings.js"
import { ground } from "../support/Ground.js"
import { Knowledge } from "../support/Knowledge.js"
import { erased } from "../support/phones/Erasures.js"
import { type CompletedCall, happened, isDone } from "../support/trace/Happened.js"
import { SENSITIVE } from "../../Specification.js"

/**
 * Marks about pauses, changes of permissions and deleted history. A mark is a rare situation that some run must reach.
 * These marks follow from the trace alone.
 */

interface Mark {
  readonly name: string
  readonly isReached: (run: Run) => boolean
}

const noted = (note: Note): Mark => ({ name: note, isReached: (run) => course(run).notes.has(note) })

const steered = (name: string, is: (fact: Knowledge["steerings"][number]) => boolean): Mark => ({
  name,
  isReached: (run) => Knowledge.of(run).steerings.some(is)
})

/**
 * Whether some successful upload contains a reading from a deleted time for which `is` holds. `is` gets `yes` for a
 * reading that the user deleted before the upload, and `maybe` for a reading that the user may have deleted before or
 * during the upload.
 */
const uploadedErased = (
  run: Run,
  is: (operation: CompletedCall<"upload">, gone: "yes" | "maybe") => boolean
): boolean =>
  happened(run)
    .of("upload")
    .some((operation) =>
      operation.args.fixes.some(({ capturedAt }) => {
        const gone = erased(run, operation.args.userId, capturedAt, operation.begin, operation.end)
        return gone !== "no" && isDone(operation) && is(operation, gone)
      })
    )

/**
 * A mark for a firing that was withheld because it was not authorised. `is` checks the cause: a pause or a deleted
 * stretch.
 */
const withheld = (
  name: string,
  is: (run: Run, row: ReturnType<typeof rows>[number], userId: string) => boolean
): Mark => ({
  name,
  isReached: (run) =>
    rows(run).some(
      (row) =>
        row.failReason === "not_authorised" &&
        isFiring(row.type) &&
        [...ground(run).rules.values()].some(({ pair }) => pair.appId === row.appId && is(run, row, pair.userId))
    )
})

const MARKS: ReadonlyArray<Mark> = [
  noted("fix during a pause"),
  noted("rule begun anew after a pause"),
  noted("side forgotten with a deleted stretch"),
  {
    name: "paused app asked",
    isReached: (run) => answered(run).some(({ body }) => saysPaused(body))
  },
  {
    name: "pause ended by itself",
    isReached: (run) => {
      const { pauses } = ground(run)
      return answered(run).some(
        ({ connectionId, did }) =>
          pauses.during(connectionId, did) === "no" &&
          pauses.beginnings(connectionId).some(({ end, isCertain, value }) => {
            const isResumed = happened(run).all.some(
              (other) => (other.name === "resumeConnection" || other.name === "resumeAll") && other.begin < did.begin
            )
            return isCertain && end < did.begin && value.latest < did.beganAt && !isResumed
          })
      )
    }
  },
  {
    name: "paused app asked and allowed again",
    isReached: (run) =>
      happened(run)
        .of("consent")
        .some(
          (operation) =>
            operation.outcome?._tag === "ok" &&
            ground(run).pauses.during(operation.outcome.value.connectionId, operation) === "yes"
        )
  },
  steered("permission taken away", ({ op }) => op.name === "changeConnection" && op.outcome._tag === "ok"),
  steered(
    "exact location given back",
    ({ op }) =>
      op.name === "changeConnection" &&
      op.outcome._tag === "ok" &&
      op.args.scopes?.some((scope) => SENSITIVE.has(scope)) === true
  ),
  steered("change refused", ({ op, was }) => op.outcome._tag === "refused" && was.life === "live"),
  steered("change after the end refused", ({ op, was }) => op.outcome._tag === "refused" && was.life === "dead"),
  steered("exact location ended", ({ op }) => op.name === "endExactLocation" && op.outcome._tag === "ok"),
  withheld("event withheld in a pause", (run, { endedAt, occurredAt }, userId) =>
    ["pauseConnection", "pauseAll"].some((name) =>
      happened(run).all.some(
        (operation) =>
          operation.name === name &&
          "userId" in operation.args &&
          operation.args.userId === userId &&
          operation.endedAt >= occurredAt &&
          operation.beganAt <= (endedAt ?? -Infinity)
      )
    )
  ),
  withheld(
    "event of a deleted stretch withheld",
    (run, { occurredAt, read }, userId) => erased(run, userId, occurredAt, read.begin, read.end) === "yes"
  ),
  {
    name: "reading of a deleted stretch sent again",
    isReached: (run) => uploadedErased(run, (_, gone) => gone === "yes")
  },
  { name: "reading deleted while it came", isReached: (run) => uploadedErased(run, (_, gone) => gone === "maybe") }
]

export const names: ReadonlyArray<string> = MARKS.map(({ name }) => name)

export const reached = (run: Run): ReadonlySet<string> =>
  new Set(MARKS.filter(({ isReached }) => isReached(run)).map(({ name }) => name))
