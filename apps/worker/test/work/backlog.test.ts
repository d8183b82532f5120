import { StoreError, Telemetry } from "@place-access/domain/shared"
import { Effect, Exit, Fiber, Metric, Option, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import * as Backlog from "../../src/work/Backlog.js"

const AGE = "place_access.backlog.measurement_age"

/** The value of the gauge `AGE`, read as an exporter reads it. */
const ageOf = ({ observers }: Telemetry.Recorder): unknown => {
  for (const observer of observers) observer()
  return Metric.unsafeSnapshot().find(({ metricKey }) => metricKey.name === AGE)?.metricState
}

describe("the watch over the backlog", () => {
  it("tells the seconds since the last measure that had an answer; a failed measure does not count", () => {
    const recorder: Telemetry.Recorder = { observers: new Set() }
    let millis = 5_000_000
    let isAway = false
    let attempts = 0
    const measure = () =>
      Effect.suspend(() => {
        attempts += 1
        return isAway ? Effect.fail(new StoreError({ transient: true, cause: "away" })) : Effect.void
      })
    const pass = (seconds: number) =>
      Effect.suspend(() => {
        millis += seconds * 1_000
        return TestClock.adjust(`${seconds} seconds`)
      })
    return Effect.gen(function* () {
      const watching = yield* Effect.fork(Backlog.watchingWith({ measure, now: () => millis }))
      yield* pass(0)
      yield* pass(15)
      yield* pass(4)
      expect([attempts, ageOf(recorder)]).toEqual([1, expect.objectContaining({ value: 4 })])
      isAway = true
      yield* pass(11)
      yield* pass(60)
      expect([attempts, ageOf(recorder)]).toEqual([6, expect.objectContaining({ value: 75 })])
      isAway = false
      yield* pass(15)
      yield* pass(1)
      expect(ageOf(recorder)).toMatchObject({ value: 1 })
      yield* Fiber.interrupt(watching)
      expect(recorder.observers.size).toBe(0)
    }).pipe(Effect.locally(Telemetry.recorder, recorder), Effect.provide(TestContext.TestContext), Effect.runPromise)
  })

  it("tells the seconds since its begin while no measure has had an answer", () => {
    const recorder: Telemetry.Recorder = { observers: new Set() }
    let millis = 0
    return Effect.gen(function* () {
      const watching = yield* Effect.fork(Backlog.watchingWith({ measure: () => Effect.never, now: () => millis }))
      yield* TestClock.adjust("1 second")
      millis = 90_000
      expect(ageOf(recorder)).toMatchObject({ value: 90 })
      yield* Fiber.interrupt(watching)
    }).pipe(Effect.locally(Telemetry.recorder, recorder), Effect.provide(TestContext.TestContext), Effect.runPromise)
  })

  it("does nothing while nothing is measured", () => {
    let attempts = 0
    const measure = () => Effect.sync(() => void (attempts += 1))
    return Effect.gen(function* () {
      // Telemetry is off, so this watch must end immediately. A watch that measures never ends.
      const watching = yield* Effect.fork(Backlog.watchingWith({ measure, now: () => 0 }))
      yield* TestClock.adjust("1 minute")
      expect([attempts, yield* Fiber.poll(watching)]).toEqual([0, Option.some(Exit.void)])
    }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)
  })
})
