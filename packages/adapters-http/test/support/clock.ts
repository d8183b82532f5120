import { Clock, Effect, Layer } from "effect"

/**
 * A clock that stands still until a test sets it. A sleep still takes real time, so that sockets and time-outs work.
 */
export interface SettableClock {
  readonly now: () => number
  readonly set: (at: number | string) => void
  readonly advance: (millis: number) => void
  readonly layer: Layer.Layer<never>
}

export const settableClock = (start: number | string): SettableClock => {
  const real = Clock.make()
  let now = new Date(start).getTime()
  const clock: Clock.Clock = {
    ...real,
    unsafeCurrentTimeMillis: () => now,
    currentTimeMillis: Effect.sync(() => now),
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) => real.sleep(duration)
  }
  return {
    now: () => now,
    set: (at) => void (now = new Date(at).getTime()),
    advance: (millis) => void (now += millis),
    layer: Layer.setClock(clock)
  }
}
