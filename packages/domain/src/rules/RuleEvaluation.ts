import type { Circle } from "../places/Geometry.js"
import * as Geometry from "../places/Geometry.js"
import { DAY, MINUTE, type Timestamp } from "../shared/Timestamp.js"
import type { Type, Window } from "./Rule.js"

/**
 * The state machine of Spec §4.6: one rule, one fix, one step. `docs/state-machines.md` draws it.
 *
 * `step` is a plain function of (question, state, fix, receipt time). It reads no clock and keeps nothing; for any input at all, a
 * coordinate that is no number included, it returns one of ten outcomes and never throws. A state is never changed in place: a
 * step that leaves it as it was returns the very same object, so `===` tells whether there is something to store. Whoever
 * evaluates keeps the order of uploads and gives a rule's steps one after the other:
 *
 * ```ts
 * let state = RuleEvaluation.on(basis, stored)
 * for (const fix of fixes) {
 *   const evaluated = RuleEvaluation.step(question, state, fix, receivedAt)
 *   state = evaluated.state
 *   if (evaluated.outcome === "fired") fire(fix.capturedAt)
 * }
 * ```
 *
 * It is the innermost loop of every upload, so states are written out field by field: copying them with `...` costs four times
 * as much (`npm run bench`).
 */

/** What a rule remembers between fixes. Every time is a capture time (decision L6). */
export interface RuleState {
  /** The side of the last decisive fix; null until the first one seeds. */
  readonly side: Geometry.Side | null
  /** Capture of the first fix of the stay; null unless inside. */
  readonly since: Timestamp | null
  /** The dwell of this stay has been told. */
  readonly dwellSpent: boolean
  /** Capture of the newest decisive fix: what is not newer only enters history (decision L4). */
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

/** The part of a rule that decides. */
export interface Question {
  readonly type: Type
  readonly circle: Circle
  /** Minutes for a dwell rule; null for the others. */
  readonly dwellMinutes: number | null
  readonly window: Window
  /** What was captured before may seed and never fires (decision M5): `LiveRule.firesFrom`. Null: whatever comes may fire. */
  readonly firesFrom: Timestamp | null
}

/** The part of a fix that decides. */
export interface Observation {
  readonly capturedAt: Timestamp
  readonly lat: number
  readonly lon: number
  /** Metres. Null, left out or no number: unknown, which counts as 50 m (decision L3). */
  readonly accuracyM?: number | null | undefined
}

/** What a fix did to a rule, in the order in which it is asked. Only `fired` sends an event. */
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
  /** would have fired, but the fix arrived more than 15 minutes after its capture, or was captured before the rule could fire */
  | "stale"
  /** would have fired, but the rule fired less than 2 minutes before */
  | "cooling_down"
  | "fired"

export interface Evaluated {
  /** The very same object as before the step when nothing changed. */
  readonly state: RuleState
  readonly outcome: Outcome
}

/** Spec §4.6.3: blocks while the gap is shorter (decision T3). */
export const COOLDOWN = 2 * MINUTE
/** Spec §4.6.4: a fix older than this at its arrival updates the state silently. */
export const STALE_AFTER = 15 * MINUTE
/** Spec §4.6.5: an upload this long after the window closed is still applied. */
export const LATE_UPLOAD = DAY

/** What one fix does to one rule: the state after it, and the outcome. Never throws. */
export const step = (question: Question, state: RuleState, fix: Observation, receivedAt: Timestamp): Evaluated => {
  const at = fix.capturedAt
  const { firesFrom } = question
  const { from, until } = question.window

  // What the rule does not look at, and what tells it nothing.
  if ((from !== null && at < from) || (until !== null && at >= until)) return { state, outcome: "outside_window" }
  if (until !== null && receivedAt > until + LATE_UPLOAD) return { state, outcome: "late" }
  if (state.asOf !== null && at <= state.asOf) return { state, outcome: "out_of_order" }
  const side = Geometry.sideOf(question.circle, fix, fix.accuracyM)
  if (side === undefined) return { state, outcome: "boundary" }

  // Where the user is now; this much a decisive fix always changes.
  if (state.side === null) return { state: arrived(state, side, at), outcome: "seeded" }
  const crossed = side !== state.side
  const moved = crossed ? arrived(state, side, at) : remained(state, at)

  // Whether anybody is told.
  if (!asksAbout(question, moved, crossed, at)) return { state: moved, outcome: crossed ? "crossed" : "no_change" }
  // Staleness comes before all that spends: the first fresh fix of a stay tells its dwell (decision L7).
  const isEarly = firesFrom !== null && at < firesFrom
  if (isEarly || receivedAt - at > STALE_AFTER) return { state: moved, outcome: "stale" }
  const last = state.lastFiredAt
  return last !== null && at - last < COOLDOWN
    ? { state: spent(question, moved, last), outcome: "cooling_down" }
    : { state: spent(question, moved, at), outcome: "fired" }
}

/** Whether the rule asks about what the newest fix shows. */
const asksAbout = ({ dwellMinutes, type }: Question, now: RuleState, crossed: boolean, at: Timestamp): boolean => {
  switch (type) {
    case "enter":
      return crossed && now.side === "inside"
    case "exit":
      return crossed && now.side === "outside"
    case "dwell":
      return dwellMinutes !== null && now.since !== null && !now.dwellSpent && at - now.since >= dwellMinutes * MINUTE
  }
}

/** Seen on a side for the first time: a stay begins inside, none outside. */
const arrived = ({ basis, lastFiredAt }: RuleState, side: Geometry.Side, at: Timestamp): RuleState => ({
  side,
  since: side === "inside" ? at : null,
  dwellSpent: false,
  asOf: at,
  lastFiredAt,
  basis
})

/** Seen again on the same side. */
const remained = ({ basis, dwellSpent, lastFiredAt, side, since }: RuleState, at: Timestamp): RuleState => ({
  side,
  since,
  dwellSpent,
  asOf: at,
  lastFiredAt,
  basis
})

/** The question of this moment is answered, or dropped for good: a dwell is told once a stay. */
const spent = ({ type }: Question, { asOf, basis, side, since }: RuleState, lastFiredAt: Timestamp): RuleState => ({
  side,
  since,
  dwellSpent: type === "dwell",
  asOf,
  lastFiredAt,
  basis
})
