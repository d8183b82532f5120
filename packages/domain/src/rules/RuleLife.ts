import { Schema } from "effect"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"

/**
 * Where a rule is in its life (Spec §3.3). None of it is stored: it follows from the window, and from what the rule needs being
 * there. A rule that was stopped is in no list any more.
 */
export const State = Schema.Literal("active", "inactive", "disabled", "finished")
export type State = typeof State.Type

/**
 * `finished` is for good, so it comes first. `disabled` while the place or the scope is gone, whether or not the window has opened;
 * `inactive` is what only waits for its window. Windows are half-open (decision T3).
 */
export const state = ({ disabledAt, window }: Pick<Rule, "disabledAt" | "window">, now: Timestamp): State => {
  if (isFinished(window, now)) return "finished"
  if (disabledAt !== null) return "disabled"
  return window.from !== null && now < window.from ? "inactive" : "active"
}

/** No fix that is captured from now on can reach it; late uploads still may, for a day. */
export const isFinished = ({ until }: Rule["window"], now: Timestamp): boolean => until !== null && until <= now
