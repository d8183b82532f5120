import { runWorker, type WorkerOptions } from "@place-access/domain/dispatch"
import { WorkSignal } from "@place-access/domain/events"
import { Bucket, LeaseStore } from "@place-access/domain/leases"
import { UserId } from "@place-access/domain/shared"
import { bucketOf, MemoryWebhookSender } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { fire, inVirtualTime, posts, scene, script, withWorker } from "../support/webhooks.js"

const { answers } = MemoryWebhookSender

/** The interval at which a worker in production polls. */
const OPTIONS: Partial<WorkerOptions> = { pollEvery: "1 second" }

/** Runs a worker that ends as by `kill -9`, so it does not give up its leases. */
const dying = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(LeaseStore, (store) =>
    Effect.provideService(program, LeaseStore, { ...store, leave: () => Effect.void })
  )

/**
 * Fires an event. Returns how many milliseconds passed until its POST, in steps of 100 ms. Undefined when there was no
 * POST within a minute.
 */
const postedAfter = (stage: Effect.Effect.Success<typeof scene>) =>
  Effect.gen(function* () {
    const before = (yield* posts()).length
    yield* fire(stage)
    for (let millis = 0; millis <= 60_000; millis += 100) {
      if ((yield* posts()).length > before) return millis
      yield* Effect.sleep(100)
    }
    return undefined
  })

const start = (options = OPTIONS) => Effect.fork(Effect.interruptible(runWorker(options)))

describe("the outbox that workers share by leases [events-5]", () => {
  it("the buckets of a person are numbers below 64, and people fill all of them", () => {
    const buckets = new Set(Array.from({ length: 2_000 }, (_, index) => bucketOf(UserId.make(`usr_${index}`))))
    expect([...buckets].sort((a, b) => a - b)).toEqual(Bucket.ALL)
  })

  it("the events of a worker that stops are posted by the next one after three seconds at most", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const one = yield* start()
        const two = yield* start()
        yield* Effect.sleep("10 seconds")
        expect(yield* postedAfter(stage)).toBeLessThanOrEqual(100)
        for (const worker of [one, two]) {
          yield* Fiber.interrupt(worker)
          yield* start()
          expect(yield* postedAfter(stage)).toBeLessThanOrEqual(3_000)
        }
      })
    )
  })

  it("the events of a worker that dies are posted by the other one when its life is over: after 13 seconds at most", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const [one, two] = [yield* dying(start()), yield* dying(start())]
        yield* Effect.sleep("10 seconds")
        yield* Fiber.interrupt(one)
        expect(yield* postedAfter(stage)).toBeLessThanOrEqual(13_000)
        yield* Fiber.interrupt(two)
        yield* start()
        expect(yield* postedAfter(stage)).toBeLessThanOrEqual(13_000)
      })
    )
  })

  /**
   * Returns how long an event waits for its POST when no signal is raised. Two workers run, and `wait` replaces the
   * function with which they wait for a signal.
   */
  const withoutSignals = (wait: (signal: typeof WorkSignal.Service) => (typeof WorkSignal.Service)["wait"]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const stage = yield* scene
        yield* script(answers(200))
        const signal = yield* WorkSignal
        return yield* withWorker(
          withWorker(Effect.zipRight(Effect.sleep("10 seconds"), postedAfter(stage)), OPTIONS),
          OPTIONS
        ).pipe(Effect.provideService(WorkSignal, { ...signal, raise: Effect.void, wait: wait(signal) }))
      })
    )

  it("when every signal is lost, events are found by polling every second", () => {
    expect(withoutSignals(({ wait }) => wait)).toBeLessThanOrEqual(1_100)
  })

  it("planted: a wait that only a signal ends is a lost wake-up, and the event is not found", () => {
    expect(withoutSignals(() => () => Effect.never)).toBeUndefined()
  })
})
