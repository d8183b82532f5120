import { Schema } from "effect"
import type { AppId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/**
 * The maximum number of calls in any sliding window of `windowMillis`. With fixed windows, a caller could make twice as
 * many calls within `windowMillis`: half of them at the end of one window, and half at the beginning of the next.
 */
export interface Budget {
  readonly name: string
  readonly calls: number
  readonly windowMillis: number
}

/**
 * The person and the app to which a budget belongs. A new connection of the same person and app continues the same
 * budget.
 */
export interface Spender {
  readonly userId: UserId
  readonly appId: AppId
}

/** The budget does not allow the call at this moment. Wire: 429 `budget_exceeded` with `Retry-After`. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  /** The milliseconds until the budget allows the refused call, if the caller makes no other call before. */
  retryAfterMillis: Schema.Positive
}) {
  override get message(): string {
    return "The budget of questions is used up"
  }
}

export type SpendOutcome =
  /** `calls`: the times of the calls in the window, the new call included. Store them in place of the earlier list. */
  | { readonly _tag: "Spent"; readonly calls: ReadonlyArray<Timestamp> }
  /** A refused call does not count. */
  | { readonly _tag: "Refused"; readonly retryAfterMillis: number }

/**
 * Counts a call, if the window has fewer calls than the budget allows. `calls` has the times of earlier calls, in
 * order. A time after `now` counts too, because the clock of another server may be slightly ahead.
 */
export const spend = (budget: Budget, calls: ReadonlyArray<Timestamp>, now: Timestamp): SpendOutcome => {
  const counting = calls.filter((at) => now - at < budget.windowMillis)
  const oldest = counting.at(-budget.calls)
  return oldest === undefined
    ? { _tag: "Spent", calls: [...counting, now].sort((a, b) => a - b) }
    : { _tag: "Refused", retryAfterMillis: oldest + budget.windowMillis - now }
}
