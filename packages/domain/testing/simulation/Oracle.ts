import type { Entry } from "./Trace.js"

/** A rule of the specification that a run broke, and the entry of the trace that shows it. */
export interface Violation {
  /** The name of the oracle, such as `T4`. */
  readonly invariant: string
  /** The number (`i`) of the trace entry that shows the violation. */
  readonly at: number
  readonly detail: string
}

/** What an oracle judges: a whole run. */
export interface Run {
  readonly entries: ReadonlyArray<Entry>
  /**
   * True when every delivery and operation ended after all faults were turned off. If false, something that is missing
   * at the end of the trace is perhaps only late. At the end of a run the simulation reads the endpoints, the delivery
   * logs, the access logs and more (`Stage.readAll`), so the last entries of a trace show these.
   */
  readonly quiesced: boolean
}

/**
 * One invariant, written from the specification. An oracle reads nothing but the trace. Where a trace leaves open what
 * happened (an unknown outcome, a race), the oracle reports no violation.
 */
export interface Oracle {
  readonly name: string
  /**
   * The rule as one sentence, with its source, such as `Access accepted iff age < 3600 s, family live, tier live (Spec
   * §2.1)`.
   */
  readonly rule: string
  /** Present when the rule must hold even in a run whose database was replaced by a backup (decision simulation-2). */
  readonly survivesRestore?: true
  /** Returns everything in the run that breaks the rule. */
  readonly check: (run: Run) => ReadonlyArray<Omit<Violation, "invariant">>
}

/**
 * Whether the run's database was replaced by a backup. The backup lacks rows that the trace says were written, so only
 * oracles with `survivesRestore` judge the run. Decision simulation-2.
 */
const wasRestored = ({ entries }: Run): boolean =>
  entries.some((entry) => entry.kind === "fault" && entry.fault === "restore")

/** The violations that the oracles find in a run, in the order of the oracles. */
export const judge = (oracles: ReadonlyArray<Oracle>, run: Run): ReadonlyArray<Violation> =>
  oracles
    .filter(({ survivesRestore }) => survivesRestore === true || !wasRestored(run))
    .flatMap((oracle) => oracle.check(run).map((violation) => ({ invariant: oracle.name, ...violation })))
