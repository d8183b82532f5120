import type { Oracle, Run, Violation } from "../../Oracle.js"
import { Knowledge } from "./Knowledge.js"

/** Says that the rule was broken, and at which entry that shows. */
export type Say = (at: number, detail: string) => void

/** An oracle over what the trace tells of connections. `at` Infinity (an operation without an end) is never said. */
export const oracle = (name: string, rule: string, look: (known: Knowledge, say: Say, run: Run) => void): Oracle => ({
  name,
  rule,
  check: (run) => {
    const found: Array<Omit<Violation, "invariant">> = []
    look(Knowledge.of(run), (at, detail) => found.push({ at, detail }), run)
    return found
  }
})

/** The error of a refusal, whether it is the domain's tag or the wire's code. */
export const isRefusedAs = (outcome: { readonly _tag: string; readonly error?: string }, code: string): boolean =>
  outcome._tag === "refused" && plain(outcome.error ?? "") === plain(code)

const plain = (text: string): string => text.toLowerCase().replaceAll("_", "")
