import type { Oracle, Run, Violation } from "../../../Oracle.js"
import { Knowledge } from "../Knowledge.js"

/** Reports that the rule was broken, and the entry at which it shows. */
export type Say = (at: number, detail: string) => void

/** An oracle over what the trace shows of connections. A report about an operation without an end is at Infinity. */
export const oracle = (name: string, rule: string, look: (known: Knowledge, say: Say, run: Run) => void): Oracle => ({
  name,
  rule,
  check: (run) => {
    const found: Array<Omit<Violation, "invariant">> = []
    look(Knowledge.of(run), (at, detail) => found.push({ at, detail }), run)
    return found
  }
})

/** Whether the refusal has this code, be it the tag of the domain or the code on the wire. */
export const isRefusedAs = (outcome: { readonly _tag: string; readonly error?: string }, code: string): boolean =>
  outcome._tag === "refused" && plain(outcome.error ?? "") === plain(code)

const plain = (text: string): string => text.toLowerCase().replaceAll("_", "")
