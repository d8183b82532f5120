import { Clock, Effect } from "effect"

/**
 * A clock that shows an earlier time than the machine's clock and runs at the same speed. The difference to the
 * machine's clock can become smaller, never greater.
 */
export interface TravelClock {
  readonly clock: Clock.Clock
  /** Moves the clock forward to a moment. A moment in the clock's past changes nothing. */
  readonly moveTo: (millis: number) => void
  /** Sets the clock to the machine's time, which it then shows until the program ends. */
  readonly arrive: () => void
  readonly now: () => number
}

export const startingAt = (millis: number): TravelClock => {
  const host = Clock.make()
  let behind = Math.max(0, host.unsafeCurrentTimeMillis() - millis)
  const now = () => host.unsafeCurrentTimeMillis() - behind
  const nanos = () => host.unsafeCurrentTimeNanos() - BigInt(behind) * 1_000_000n
  return {
    clock: {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: now,
      unsafeCurrentTimeNanos: nanos,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanos: Effect.sync(nanos),
      // A sleep takes real time. Only the times that programs read are in the past.
      sleep: (duration) => host.sleep(duration)
    },
    moveTo: (target) => {
      behind = Math.max(0, Math.min(behind, host.unsafeCurrentTimeMillis() - target))
    },
    arrive: () => {
      behind = 0
    },
    now
  }
}
