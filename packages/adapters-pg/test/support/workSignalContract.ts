import { SqlWorkSignal } from "@place-access/adapters-pg"
import { WorkSignal } from "@place-access/domain/events"
import { Check, type Contract } from "@place-access/domain/testing"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import type { Ground } from "./contracts.js"

/** Runs a program as in another process, with a separate listening connection. */
const another = <A, E, R>(program: Effect.Effect<A, E, R | WorkSignal>) =>
  program.pipe(Effect.provide(Layer.fresh(SqlWorkSignal.layer)))

const forever = Duration.hours(1)

/** Raises the signal repeatedly, because the listener may still be connecting. */
const untilHeard = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    const signal = yield* WorkSignal
    const again = signal.raise.pipe(Effect.zipRight(hostSleep(20)), Effect.forever)
    return yield* Effect.raceFirst(Fiber.join(fiber), again)
  })

const hostSleep = (millis: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, millis)))

export const workSignalContract: Contract<WorkSignal | Ground> = [
  {
    name: "a signal raised in one process ends the wait in another",
    run: another(
      Effect.gen(function* () {
        const waiting = yield* Effect.fork(Effect.flatMap(WorkSignal, (signal) => signal.wait(forever)))
        yield* another(untilHeard(waiting))
      })
    )
  },
  {
    name: "a signal that came while nobody waited ends the next wait at once",
    run: another(
      Effect.gen(function* () {
        const signal = yield* WorkSignal
        yield* untilHeard(yield* Effect.fork(signal.wait(forever)))
        yield* signal.raise
        yield* hostSleep(300)
        yield* signal.wait(forever)
      })
    )
  },
  {
    name: "whoever subscribed hears every signal, whoever else waits",
    run: another(
      Effect.gen(function* () {
        const signal = yield* WorkSignal
        const [one, two] = [yield* signal.subscribe, yield* signal.subscribe]
        const waits = [signal.wait(forever), one(forever), two(forever)]
        const waiting = yield* Effect.fork(Effect.all(waits, { concurrency: "unbounded", discard: true }))
        yield* untilHeard(waiting)
        yield* signal.raise
        yield* Effect.all(waits, { discard: true })
      }).pipe(Effect.scoped)
    )
  },
  {
    name: "without a signal the wait ends when its time is over",
    run: another(
      Effect.gen(function* () {
        const signal = yield* WorkSignal
        // When the signal has connected, it wakes waiting workers once, because they may have missed a signal before.
        // This wait takes that wake-up, so that the next wait does not get it.
        yield* signal.wait(forever)
        const waiting = yield* Effect.fork(signal.wait(Duration.seconds(1)))
        yield* hostSleep(20)
        Check.isTrue((yield* Fiber.poll(waiting))._tag === "None", "still waiting before")
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(waiting)
      })
    )
  }
]
