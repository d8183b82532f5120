import { Schema } from "effect"
import type { AppId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** How many calls of one kind somebody has in any `windowMillis`: an exact sliding window, so that no edge doubles it. */
export interface Budget {
  readonly name: string
  readonly calls: number
  readonly windowMillis: number
}

/** Whose budget it is. A new connection of the same person and app goes on with the old one's. */
export interface Spender {
  readonly userId: UserId
  readonly appId: AppId
}

/** Wire: 429 `budget_exceeded` with `Retry-After`. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  /** Until enough of what counts has fallen out of its window. */
  retryAfterMillis: Schema.Positive
}) {}

export type Spending =
  /** `calls`: what counts from here on, this one included. */
  | { readonly _tag: "Spent"; readonly calls: ReadonlyArray<Timestamp> }
  /** Counts for nothing. */
  | { readonly _tag: "Refused"; readonly retryAfterMillis: number }

/**
 * A call counts while it is younger than the window. Those of a server whose clock is a little ahead count too; `calls` is in
 * order of time.
 */
export const spend = (budget: Budget, calls: ReadonlyArray<Timestamp>, now: Timestamp): Spending => {
  const counting = calls.filter((at) => now - at < budget.windowMillis)
  const oldest = counting.at(-budget.calls)
  return oldest === undefined
    ? { _tag: "Spent", calls: [...counting, now].sort((a, b) => a - b) }
    : { _tag: "Refused", retryAfterMillis: oldest + budget.windowMillis - now }
}
