import { Pacing, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"

/** The pause, in milliseconds, after work that took `tookMs` by the clock. */
const pauseAfter = (tookMs: number, share: number) =>
  Effect.gen(function* () {
    const pause = yield* Pacing.pausing({ share })
    const begunAt = yield* Timestamp.now
    yield* TestClock.setTime(begunAt + tookMs)
    const ended = yield* Effect.fork(Effect.zipRight(pause, Timestamp.now))
    yield* TestClock.adjust("1 hour")
    return (yield* Fiber.join(ended)) - begunAt - tookMs
  })

describe("the pause after a piece of work", () => {
  it.effect("is as long as the share of the time demands, and none when the work may take all of it", () =>
    Effect.gen(function* () {
      expect(yield* pauseAfter(10, 0.5)).toBe(10)
      expect(yield* pauseAfter(10, 0.25)).toBe(30)
      expect(yield* pauseAfter(10, 1)).toBe(0)
    })
  )

  it.effect(
    "lasts from a millisecond, also when the clock was set back, to just below a second, also when it was set forward",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(86_400_000)
        expect(yield* pauseAfter(0, 0.5)).toBe(1)
        expect(yield* pauseAfter(-3_600_000, 0.5)).toBe(1)
        expect(yield* pauseAfter(999, 0.5)).toBe(999)
        expect(yield* pauseAfter(3_600_000, 0.5)).toBe(999)
      })
  )
})
