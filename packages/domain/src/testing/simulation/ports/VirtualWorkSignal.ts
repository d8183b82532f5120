import { Deferred, Duration, Effect, FiberRef } from "effect"
import type { WorkSignal } from "../../../deliveries/WorkSignal.js"
import * as Timestamp from "../../../shared/Timestamp.js"
import type { Engine } from "../engine/Engine.js"
import * as Process from "../engine/Process.js"
import type { Recorder } from "../trace/Recorder.js"

const LONGEST = 15 * Timestamp.MINUTE

/** How many signals somebody has heard. */
interface Ear {
  heard: number
}

/**
 * Reaches every process. The looks of a worker that hears nothing come every second while things happen, and ever more seldom
 * while nothing does: as long after the last happening as that is past, at most a quarter of an hour. A night in which nobody
 * moves is a few dozen steps, and what a lost signal left lying is found in at most twice its time.
 */
export const make = (engine: Engine, recorder: Recorder): typeof WorkSignal.Service => {
  let raised = 0
  const ears = new WeakMap<Process.Process, Ear>()
  let waiting: Array<Deferred.Deferred<void>> = []

  const listen = (ear: Ear, atMost: Duration.Duration): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (ear.heard === raised) {
        const waiter = yield* Deferred.make<void>()
        waiting.push(waiter)
        const quiet = engine.clock.monotonic - recorder.lastAt
        const patience = Math.max(Duration.toMillis(atMost), Math.min(quiet, LONGEST))
        yield* Process.periodic(Effect.timeoutOption(Deferred.await(waiter), patience))
        waiting = waiting.filter((one) => one !== waiter)
      }
      ear.heard = raised
    })

  return {
    raise: Effect.suspend(() => {
      raised++
      const woken = waiting
      waiting = []
      return Effect.forEach(woken, (waiter) => Deferred.succeed(waiter, undefined), { discard: true })
    }),
    wait: (atMost) =>
      Effect.flatMap(FiberRef.get(Process.current), (process) => {
        const ear = ears.get(process) ?? { heard: raised }
        ears.set(process, ear)
        return listen(ear, atMost)
      }),
    subscribe: Effect.sync(() => {
      const ear = { heard: raised }
      return (atMost) => listen(ear, atMost)
    })
  }
}
