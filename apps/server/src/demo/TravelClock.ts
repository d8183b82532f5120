import { Clock, Effect } from "effect"

/** A clock that runs like the host's, so much behind it; the distance can be made smaller and never greater. */
export interface TravelClock {
  readonly clock: Clock.Clock
  /** Moves the clock to a moment; one that has passed already changes nothing. */
  readonly moveTo: (millis: number) => void
  /** Takes the clock to the host's time, for good. */
  readonly arrive: () => void
  readonly now: () => number
}

/** Starts at `millis`. */
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
      // Waiting takes as long as it takes: only what is written down about the time lies in the past.
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
