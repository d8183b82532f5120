// Whether this process's clock can be trusted (decision deliveries-6).
import { type Clock, Effect } from "effect"
import { StoreError } from "./Errors.js"

/** A clock that knows whether it is right: processes compare times that others wrote. Other clocks count as right. */
export interface JudgedClock extends Clock.Clock {
  /** False while the clock is known to differ from the database's. */
  readonly isRight: () => boolean
}

/** Whether the clock of the program is right, as far as the process knows. */
export const isRight: Effect.Effect<boolean> = Effect.clockWith((clock) => Effect.succeed(isRightNow(clock)))

const isRightNow = (clock: Clock.Clock): boolean => !("isRight" in clock) || (clock as JudgedClock).isRight()

/** Fails with a transient error while this process's clock is known to be wrong. */
export const required: Effect.Effect<void, StoreError> = Effect.clockWith((clock) =>
  isRightNow(clock) ? Effect.void : StoreError.unavailable("This process's clock is wrong")
)
