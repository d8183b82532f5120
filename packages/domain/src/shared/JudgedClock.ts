// Whether this process's clock can be trusted (decision deliveries-6).
import { type Clock, Effect } from "effect"
import { StoreError } from "./Errors.js"

/**
 * A clock that reports whether it agrees with the database's clock. A process compares its own clock with times that
 * other processes stored. So a process with a wrong clock could, for example, take a lease of another worker too early.
 * A clock without `isRight` counts as right.
 */
export interface JudgedClock extends Clock.Clock {
  /** False while the clock is known to differ from the database's. */
  readonly isRight: () => boolean
}

/** False while this process's clock is known to be wrong (`JudgedClock.isRight`). */
export const isRight: Effect.Effect<boolean> = Effect.clockWith((clock) => Effect.succeed(isRightNow(clock)))

const isRightNow = (clock: Clock.Clock): boolean => !("isRight" in clock) || (clock as JudgedClock).isRight()

/** Fails with a transient error while this process's clock is known to be wrong. */
export const required: Effect.Effect<void, StoreError> = Effect.clockWith((clock) =>
  isRightNow(clock) ? Effect.void : StoreError.unavailable("This process's clock is wrong")
)
