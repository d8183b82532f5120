// Whether a rule is active at this moment (decision rules-6).
import { Schema } from "effect"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"

/** A rule's state (Spec §3.3). It is never stored, but computed from window, place and scope whenever it is needed. */
export const RuleState = Schema.Literal("active", "inactive", "disabled", "finished")
export type RuleState = typeof RuleState.Type

/**
 * The state at `now`: the first state of this list that applies. A window includes its beginning and excludes its end
 * (decision T3).
 * - `finished` after the window has closed; it never opens again.
 * - `disabled` while the rule lacks its place or scope, even before the window opens.
 * - `inactive` before the window opens.
 * - `active` in all other cases.
 */
export const state = ({ disabledAt, window }: Pick<Rule, "disabledAt" | "window">, now: Timestamp): RuleState => {
  if (isFinished(window, now)) return "finished"
  if (disabledAt !== null) return "disabled"
  return window.from !== null && now < window.from ? "inactive" : "active"
}

/**
 * Whether the window is over. A fix that was captured before the end of the window is still evaluated when it arrives
 * within a day after the end. It may fire the rule, if it arrives within 15 minutes of its capture.
 */
export const isFinished = ({ until }: Rule["window"], now: Timestamp): boolean => until !== null && until <= now
