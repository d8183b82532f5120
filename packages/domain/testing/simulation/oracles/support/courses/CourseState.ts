import type { CompletedCall } from "../trace/Happened.js"

/** A state that a rule may be in. `Course` follows every possible state of each rule. */
export interface State {
  readonly side: "inside" | "outside" | null
  /** The capture time of the first fix of the present stay. */
  readonly since: number
  readonly isSpent: boolean
  /** The capture time of the newest decisive fix that the rule has evaluated. */
  readonly asOf: number
  readonly firedAt: number
  /** The crossing or stay for which the rule waits before it fires; null when the rule does not wait. */
  readonly waits: Waiting | null
}

export const FIRST: State = { side: null, since: -1, isSpent: false, asOf: -1, firedAt: -1e15, waits: null }
export const ANEW = { side: null, since: -1, isSpent: false, waits: null } as const

/**
 * A crossing that a later fix may contradict (decision rules-13), or a stay for which the rule fires after silence
 * (decision rules-14).
 */
interface Waiting {
  /** The capture time of the crossing, or the end of the stay's dwell time. */
  readonly at: number
  /** The wait ends when the clock shows a time between `from` and `to`. */
  readonly from: number
  readonly to: number
  /** Whether the rule fires at the end of the wait. */
  readonly fires: boolean
  /**
   * Present when the rule waits for silence during a stay: the number and the time of the trace entry that began the
   * upload with which this wait began. Null when the rule waits after a crossing.
   */
  readonly stay: { readonly begin: number; readonly beganAt: number } | null
}

/** A rare situation that certainly occurred while the oracle followed a rule. */
export type Note =
  | "first fix"
  | "boundary fix"
  | "fired"
  | "cooldown drop"
  | "fired at the end of the cooldown"
  | "stale crossing"
  | "crossing of before the rule was made"
  | "stale fix began a stay"
  | "dwell fired"
  | "rule begun anew"
  | "rule begun anew after a pause"
  | "side forgotten with a deleted stretch"
  | "fix during a pause"
  | "fix outside of the window"
  | "late batch applied"
  | "late batch ignored"
  | "old fix"
  | "crossing waited"
  | "crossing contradicted"
  | "crossing settled"
  | "crossing told by the clock"
  | "stay told by silence"
  | "silence broken from outside"

/**
 * A fix that a rule evaluates, with the side of the circle's boundary on which it lies. The service received the fix
 * with `upload`, between the times `from` and `to`.
 */
export interface Sight {
  readonly at: number
  readonly side: "inside" | "outside"
  readonly freshness: Freshness
  readonly from: number
  readonly to: number
  readonly upload: CompletedCall<"upload">
  /** The time from which on the rule may fire, as a range: a fix that was captured earlier fires nothing. */
  readonly since: { readonly earliest: number; readonly latest: number }
}

/**
 * Whether a fix may fire the rule. `fresh`: the fix may fire the rule. `stale`: it must not, because the fix arrived
 * too late. `early`: it must not, because the fix was captured before the time from which on the rule may fire.
 */
export type Freshness = "fresh" | "stale" | "early"

/** The states to which an event leads from `state`. */
export type Transition = (state: State, note: (note: Note) => void) => ReadonlyArray<State>

/** When a rule may be in more states than this, the oracle stops following the rule and reports nothing. */
export const MOST = 64

/** Notes nothing: while several states are possible, it is not certain that the run reached a rare situation. */
export const silent = (): void => undefined
