import type { CompletedCall } from "./trace/Happened.js"

/** A state in which a rule may be. `Course` follows every possible state of each rule. */
export interface State {
  readonly side: "inside" | "outside" | null
  /** The time of the first fix of the stay. */
  readonly since: number
  readonly isSpent: boolean
  /** The time of the newest decisive fix. */
  readonly asOf: number
  readonly firedAt: number
  /** A crossing that a fix may still contradict, or a stay that waits for silence. */
  readonly waits: Waiting | null
}

export const FIRST: State = { side: null, since: -1, isSpent: false, asOf: -1, firedAt: -1e15, waits: null }
export const ANEW = { side: null, since: -1, isSpent: false, waits: null } as const

/** A crossing that may be contradicted (decision rules-13), or a stay that silence may fire (decision rules-14). */
interface Waiting {
  /** The capture time of the crossing, or the end of the stay's dwell time. */
  readonly at: number
  /** The wait ends between these times of the clock. */
  readonly from: number
  readonly to: number
  /** Whether the rule fires at the end of the wait. */
  readonly fires: boolean
  /** The entry of the upload after which a stay waits for silence; null for a crossing. */
  readonly stay: { readonly begin: number; readonly beganAt: number } | null
}

/** Rare things that certainly happened to a rule. */
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
 * A fix that a rule evaluates, on one side of the edge. The service received the fix, with `upload`, between the times
 * `from` and `to`.
 */
export interface Sight {
  readonly at: number
  readonly side: "inside" | "outside"
  readonly telling: Telling
  readonly from: number
  readonly to: number
  readonly upload: CompletedCall<"upload">
  /** When the rule began: an earlier fix fires nothing. */
  readonly since: { readonly earliest: number; readonly latest: number }
}

/**
 * Whether a fix may fire. `told`: it may. `stale`: it arrived too late. `early`: it was captured before the rule began.
 */
export type Telling = "told" | "stale" | "early"
