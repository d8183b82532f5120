import { VirtualTime } from "@place-access/domain/testing"
import { Duration, Effect, Fiber, TestClock, TestContext } from "effect"
import type { Sides } from "../harness/loop/Loop.js"

/** For each fiber, the minutes between its wake-ups, similar to a worker's loops. */
const PERIODS = [13, 15, 17]
const OURS = 60_000
const THEIRS = 300

/** Runs fibers that sleep and wake up. Returns the number of wake-ups, which is `wakeUps` in all. */
const loops = (wakeUps: number) =>
  Effect.gen(function* () {
    let woken = 0
    yield* Effect.forEach(
      PERIODS,
      (minutes) =>
        Effect.gen(function* () {
          for (let count = 0; count < wakeUps / PERIODS.length; count++) {
            yield* Effect.sleep(Duration.minutes(minutes))
            woken++
          }
        }),
      { concurrency: "unbounded", discard: true }
    )
    return woken
  })

const onVirtualTime = (): number => {
  const exit = VirtualTime.runVirtual(loops(OURS))
  if (exit._tag === "Failure") throw new Error(String(exit.cause))
  return exit.value
}

const onTestClock = (): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(loops(THEIRS))
      yield* TestClock.adjust(Duration.minutes((Math.max(...PERIODS) * THEIRS) / PERIODS.length))
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide(TestContext.TestContext))
  )

const sides: Sides = { product: onVirtualTime, baseline: onTestClock }

export default sides
