import { type Clock, Effect } from "effect"
import { StoreError } from "./StoreError.js"

/**
 * A clock that knows whether it is right, for processes that share a database: leases, windows and ends are compared with times that other
 * processes wrote. Any other clock counts as right.
 */
export interface JudgedClock extends Clock.Clock {
  /** False while it is known to differ from what the others go by. */
  readonly isRight: () => boolean
}

/** Whether the program's clock is right, as far as is known. */
export const isRight: Effect.Effect<boolean> = Effect.clockWith((clock) => Effect.succeed(isRightNow(clock)))

const isRightNow = (clock: Clock.Clock): boolean => !("isRight" in clock) || (clock as JudgedClock).isRight()

/** Fails with a passing error while the program's clock is known to be wrong. */
export const required: Effect.Effect<void, StoreError> = Effect.clockWith((clock) =>
  isRightNow(clock) ? Effect.void : StoreError.unavailable("This process's clock is wrong")
)
