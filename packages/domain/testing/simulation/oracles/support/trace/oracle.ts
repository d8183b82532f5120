import type { Oracle, Run, Violation } from "../../../Oracle.js"
import { Knowledge } from "../Knowledge.js"

/** Reports that the run broke the rule. `at` is the number (`i`) of the entry that shows the violation. */
export type Say = (at: number, detail: string) => void

/**
 * Makes an oracle from a function over what the trace shows about apps, connections and tokens (`Knowledge`). In a
 * report about an operation without an end, `at` is Infinity.
 */
export const oracle = (name: string, rule: string, look: (known: Knowledge, say: Say, run: Run) => void): Oracle => ({
  name,
  rule,
  check: (run) => {
    const found: Array<Omit<Violation, "invariant">> = []
    look(Knowledge.of(run), (at, detail) => found.push({ at, detail }), run)
    return found
  }
})

/** Whether the refusal has this code. The code may be the tag of the domain's error or the code on the wire. */
export const isRefusedAs = (outcome: { readonly _tag: string; readonly error?: string }, code: string): boolean =>
  outcome._tag === "refused" && plain(outcome.error ?? "") === plain(code)

const plain = (text: string): string => text.toLowerCase().replaceAll("_", "")
