import type { Circle } from "../places/Geometry.js"
import * as Geometry from "../places/Geometry.js"
import { DAY, MINUTE, type Timestamp } from "../shared/Timestamp.js"
import type { Type, Window } from "./Rule.js"

/**
 * The state machine of Spec §4.6: one rule, one fix, one step. A plain function of (rule, state, fix, receipt time); it reads
 * no clock, keeps nothing and never throws. docs/state-machines.md draws it.
 */

/** What a rule remembers between fixes. All times are capture times, except where said (decision L6). */
export interface RuleState {
  /** The side of the last decisive fix; null until the first one seeds. */
  readonly side: Geometry.Side | null
  /** Start of the stay, while inside. */
  readonly since: Timestamp | null
  /** The dwell of this stay was spent. */
  readonly dwellSpent: boolean
  /** Capture time of the newest decisive fix: older and equal ones only enter history (decision L4). */
  readonly asOf: Timestamp | null
  readonly lastFiredAt: Timestamp | null
  /** See `LiveRule.basis`. */
  readonly basis: string
}

/** The state of a rule that has seen nothing. */
export const unseeded = (basis: string): RuleState => ({
  side: null,
  since: null,
  dwellSpent: false,
  asOf: null,
  lastFiredAt: null,
  basis
})

/**
 * The state to go on from when the rule now stands on `basis`. On another one it forgets where the user was (decision L8), and
 * keeps what holds for the rule wherever its circle lies: it does not fire twice within 2 minutes (Spec §4.6.3), and looks at
 * nothing older than what it has seen.
 */
export const on = (basis: string, state: RuleState): RuleState =>
  state.basis === basis ? state : { ...unseeded(basis), asOf: state.asOf, lastFiredAt: state.lastFiredAt }

/** What a fix did to a rule. Only `fired` sends an event. */
export type Outcome =
  /** captured outside `[from, until)` */
  | "outside_window"
  /** captured inside the window, uploaded more than a day after it closed */
  | "late"
  /** not newer than the newest decisive fix */
  | "out_of_order"
  /** too near the edge to tell */
  | "boundary"
  /** the first decisive fix: sets the side, fires nothing */
  | "seeded"
  /** the same side as before, and no dwell due */
  | "no_change"
  /** the other side, and the rule does not ask about this direction */
  | "crossed"
  /** would have fired, but the fix arrived more than 15 minutes after its capture */
  | "stale"
  /** would have fired, but the rule fired less than 2 minutes before */
  | "cooling_down"
  | "fired"

export interface Evaluated {
  readonly state: RuleState
  readonly outcome: Outcome
}

/** The part of a rule that decides. */
export interface Question {
  readonly type: Type
  readonly circle: Circle
  readonly dwellMinutes: number | null
  readonly window: Window
}

/** The part of a fix that decides. */
export interface Observation {
  readonly capturedAt: Timestamp
  readonly lat: number
  readonly lon: number
  readonly accuracyM: number | null
}

/** Spec §4.6.4: a fix older than this at its arrival updates the state silently. */
export const STALE_AFTER = 15 * MINUTE
/** Spec §4.6.3: blocks while the gap is shorter (decision T3). */
export const COOLDOWN = 2 * MINUTE
/** Spec §4.6.5: an upload this long after the window closed is still applied. */
export const LATE_UPLOAD = DAY

export const step = (question: Question, state: RuleState, fix: Observation, receivedAt: Timestamp): Evaluated => {
  const { from, until } = question.window
  if ((from !== null && fix.capturedAt < from) || (until !== null && fix.capturedAt >= until)) {
    return { state, outcome: "outside_window" }
  }
  if (until !== null && receivedAt > until + LATE_UPLOAD) return { state, outcome: "late" }
  if (state.asOf !== null && fix.capturedAt <= state.asOf) return { state, outcome: "out_of_order" }

  const side = Geometry.sideOf(question.circle, fix, fix.accuracyM)
  if (side === undefined) return { state, outcome: "boundary" }
  if (state.side === null) return { state: arrived(state, side, fix.capturedAt), outcome: "seeded" }

  const crossed = side !== state.side
  const moved = crossed ? arrived(state, side, fix.capturedAt) : { ...state, asOf: fix.capturedAt }
  if (!asksAbout(question, moved, crossed, fix.capturedAt)) {
    return { state: moved, outcome: crossed ? "crossed" : "no_change" }
  }
  // Stale comes before everything that spends: the first fresh fix of the stay fires its dwell (decision L7).
  if (receivedAt - fix.capturedAt > STALE_AFTER) return { state: moved, outcome: "stale" }
  const spent = question.type === "dwell" ? { ...moved, dwellSpent: true } : moved
  if (state.lastFiredAt !== null && fix.capturedAt - state.lastFiredAt < COOLDOWN) {
    return { state: spent, outcome: "cooling_down" }
  }
  return { state: { ...spent, lastFiredAt: fix.capturedAt }, outcome: "fired" }
}

/** The state after the first fix on a side: a new stay when inside, none when outside. */
const arrived = (state: RuleState, side: Geometry.Side, at: Timestamp): RuleState => ({
  ...state,
  side,
  since: side === "inside" ? at : null,
  dwellSpent: false,
  asOf: at
})

const asksAbout = (question: Question, state: RuleState, crossed: boolean, at: Timestamp): boolean => {
  switch (question.type) {
    case "enter":
      return crossed && state.side === "inside"
    case "exit":
      return crossed && state.side === "outside"
    case "dwell":
      return (
        state.since !== null &&
        !state.dwellSpent &&
        question.dwellMinutes !== null &&
        at - state.since >= question.dwellMinutes * MINUTE
      )
  }
}
