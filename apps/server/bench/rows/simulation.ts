import { VirtualTime } from "@place-access/domain/testing"
import { Duration, Effect, Fiber, Schedule, TestClock, TestContext } from "effect"
import * as Goal from "../harness/Goal.js"
import type { Row, Sample } from "../harness/Row.js"

/** Minutes between the wake-ups of each fiber, as a worker's loops have them. */
const PERIODS = [13, 15, 17]
const OURS = 60_000
const THEIRS = 300

/** Fibers that sleep and wake, `wakeUps` times together; how often it was. */
const loops = (wakeUps: number) =>
  Effect.gen(function* () {
    let woken = 0
    yield* Effect.forEach(
      PERIODS,
      (minutes) =>
        Effect.sleep(Duration.minutes(minutes)).pipe(
          Effect.zipRight(Effect.sync(() => woken++)),
          Effect.repeat(Schedule.recurs(wakeUps / PERIODS.length - 1))
        ),
      { concurrency: "unbounded", discard: true }
    )
    return woken
  })

const onVirtualTime = async (): Promise<number> => {
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

const timed = (task: () => Promise<number>) => async (): Promise<Sample> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const operations = await task()
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  return { operations, seconds, p50Ms: null, p99Ms: null, cpuMicrosPerOp: (user + system) / operations, peakMB: null }
}

export const simulation: Row = {
  name: "simulation",
  path: "wake-ups of sleeping fibers on virtual time, beside Effect's TestClock",
  seconds: 15,
  open: async () => [
    { product: timed(onVirtualTime), baseline: timed(onTestClock), goals: [Goal.throughputRatio(300)] }
  ]
}
