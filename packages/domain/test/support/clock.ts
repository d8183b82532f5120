import { Clock, Effect } from "effect"

/**
 * A clock that stands still. For properties that run a program hundreds of times it is much faster than `TestClock`.
 */
export const clockAt = (millis: number): Clock.Clock =>
  reading(
    () => millis,
    () => Effect.dieMessage("This clock stands still")
  )

export interface SettableClock {
  readonly set: (millis: number) => void
  readonly clock: Clock.Clock
}

/**
 * A clock that a test sets. `TestClock.setTime` waits a few real milliseconds for other fibers each time; a program
 * with one fiber does not need this. A fiber that sleeps on this clock never wakes.
 */
export const settableClock = (start: number): SettableClock => {
  let now = start
  return {
    set: (millis) => void (now = millis),
    clock: reading(
      () => now,
      () => Effect.never
    )
  }
}

const reading = (now: () => number, sleep: Clock.Clock["sleep"]): Clock.Clock => {
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep
  }
}
