// Whether a rule is active at this moment (decision rules-6).
import { Schema } from "effect"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"

/** A rule's state (Spec §3.3), computed from window, place and scope whenever it is needed, never stored. */
export const RuleState = Schema.Literal("active", "inactive", "disabled", "finished")
export type RuleState = typeof RuleState.Type

/**
 * The state at `now`: `finished` for good once the window has closed; otherwise `disabled` while place or scope is
 * withdrawn, even before the window opens; otherwise `inactive` before the window opens; otherwise `active`. A window
 * includes its beginning and excludes its end (decision T3).
 */
export const state = ({ disabledAt, window }: Pick<Rule, "disabledAt" | "window">, now: Timestamp): RuleState => {
  if (isFinished(window, now)) return "finished"
  if (disabledAt !== null) return "disabled"
  return window.from !== null && now < window.from ? "inactive" : "active"
}

/** Whether the window is over. Fixes captured before its end may still arrive and fire the rule, for a day. */
export const isFinished = ({ until }: Rule["window"], now: Timestamp): boolean => until !== null && until <= now
