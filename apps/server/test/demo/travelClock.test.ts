import { Clock, Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as TravelClock from "../../src/demo/TravelClock.js"

const HOUR = 3_600_000

describe("the demo's clock", () => {
  it("starts in the past, is moved on, and never back", () => {
    const start = Date.now() - 10 * HOUR
    const travel = TravelClock.startingAt(start)
    expect(travel.now()).toBeGreaterThanOrEqual(start)
    expect(travel.now()).toBeLessThan(start + HOUR)
    travel.moveTo(start + 5 * HOUR)
    expect(travel.now()).toBeGreaterThanOrEqual(start + 5 * HOUR)
    travel.moveTo(start)
    expect(travel.now()).toBeGreaterThanOrEqual(start + 5 * HOUR)
  })

  it("ends at the host's time and goes no further", () => {
    const travel = TravelClock.startingAt(Date.now() - HOUR)
    travel.moveTo(Date.now() + HOUR)
    expect(travel.now()).toBeLessThanOrEqual(Date.now())
    travel.arrive()
    const before = Date.now()
    expect(travel.now()).toBeGreaterThanOrEqual(before)
  })

  it("is what programs read as their clock, in milliseconds and nanoseconds alike", async () => {
    const travel = TravelClock.startingAt(HOUR)
    const [millis, nanos] = await Effect.runPromise(
      Effect.all([Clock.currentTimeMillis, Clock.currentTimeNanos]).pipe(Effect.withClock(travel.clock))
    )
    expect(Math.abs(Number(nanos / 1_000_000n) - millis)).toBeLessThan(HOUR)
    expect(millis).toBeLessThan(2 * HOUR)
  })
})
