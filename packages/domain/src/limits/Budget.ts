import { Schema } from "effect"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { HOUR, type Timestamp } from "../shared/Timestamp.js"

/** How many calls of one kind a connection has in any `windowMillis`: an exact sliding window, so that no edge doubles it. */
export interface Budget {
  readonly name: string
  readonly calls: number
  readonly windowMillis: number
}

/** Decisions §4: enough for honest checks, too few to find out by trial where somebody is. */
export const VERIFY_ZONE: Budget = { name: "verify_zone", calls: 20, windowMillis: HOUR }

/** Whose budget it is. */
export interface Spender {
  readonly userId: UserId
  readonly connectionId: ConnectionId
}

/** Wire: 429 `budget_exceeded` with `Retry-After`. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  /** Until the oldest call falls out of the window. */
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
