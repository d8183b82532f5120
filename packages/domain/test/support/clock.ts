import { Clock, Effect } from "effect"

/** A clock that stands still. Far cheaper than `TestClock`: for properties that run a program hundreds of times. */
export const clockAt = (millis: number): Clock.Clock => {
  const nanos = BigInt(millis) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => millis,
    currentTimeMillis: Effect.succeed(millis),
    unsafeCurrentTimeNanos: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.dieMessage("This clock stands still")
  }
}
