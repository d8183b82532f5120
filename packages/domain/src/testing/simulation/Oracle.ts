import type { Entry } from "./Trace.js"

/** A rule of the specification that a run broke, and where that shows. */
export interface Violation {
  /** The oracle's, such as `T4`. */
  readonly invariant: string
  /** `i` of the entry at which it shows. */
  readonly at: number
  readonly detail: string
}

/** What a whole run is judged with. */
export interface Run {
  readonly entries: ReadonlyArray<Entry>
  /**
   * The world was healed and came to rest at the end: liveness may be judged. The developers' delivery logs and endpoints and the users'
   * access logs were read after that.
   */
  readonly quiesced: boolean
}

/**
 * One invariant, written from the specification: it looks at nothing but the trace. What a trace leaves open (an outcome that is
 * unknown, a race) is no violation.
 */
export interface Oracle {
  readonly name: string
  /** The rule as a sentence, with its source, such as `Access accepted iff age < 3600 s, family live, tier live (Spec §2.1)`. */
  readonly rule: string
  /** Everything in the run that breaks the rule. */
  readonly check: (run: Run) => ReadonlyArray<Omit<Violation, "invariant">>
}

/** What the oracles find, each in its turn. */
export const judge = (oracles: ReadonlyArray<Oracle>, run: Run): ReadonlyArray<Violation> =>
  oracles.flatMap((oracle) => oracle.check(run).map((violation) => ({ invariant: oracle.name, ...violation })))
