import { type Duration, Effect, Exit, Fiber } from "effect"
import type { EndpointId } from "../shared/Ids.js"

/** The deliveries that this worker has under way. */
export interface Flights {
  readonly size: () => number
  /**
   * Starts `attempt` on its own. `onChange` runs when it ends with something to look at: it says so itself (true: there is a
   * due time to wait for), or the endpoint, or the worker, was full until then, or now has `enough` room.
   */
  readonly launch: <R>(
    endpointId: EndpointId,
    attempt: Effect.Effect<boolean, never, R>
  ) => Effect.Effect<void, never, R>
  /** Returns when all have ended; those that have not after `atMost` are interrupted and left to their lease. */
  readonly drain: (atMost: Duration.DurationInput) => Effect.Effect<void>
}

export interface Room {
  readonly slots: number
  /** So many free slots are worth a look. */
  readonly enough: number
  readonly perEndpoint: number
  readonly onChange: () => void
}

export const make = ({ slots, enough, perEndpoint, onChange }: Room): Flights => {
  const fibers = new Set<Fiber.RuntimeFiber<boolean>>()
  const ofEndpoint = new Map<EndpointId, number>()
  let underWay = 0

  const begin = (id: EndpointId): void => {
    underWay++
    ofEndpoint.set(id, (ofEndpoint.get(id) ?? 0) + 1)
  }
  const end = (id: EndpointId, changed: boolean): void => {
    const before = ofEndpoint.get(id) ?? 0
    const wasFull = before >= perEndpoint || underWay >= slots
    underWay--
    const hasEnough = slots - underWay === enough
    if (before > 1) ofEndpoint.set(id, before - 1)
    else ofEndpoint.delete(id)
    if (changed || wasFull || hasEnough) onChange()
  }

  return {
    size: () => underWay,
    launch: (id, attempt) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          begin(id)
          return Effect.map(Effect.forkDaemon(Effect.interruptible(attempt)), (fiber) => {
            fibers.add(fiber)
            fiber.addObserver((exit) => {
              fibers.delete(fiber)
              end(id, Exit.isSuccess(exit) && exit.value)
            })
          })
        })
      ),
    drain: (atMost) =>
      Effect.gen(function* () {
        const waitForAll = Effect.suspend(() => Fiber.awaitAll([...fibers]))
        yield* Effect.timeoutOption(Effect.interruptible(waitForAll), atMost)
        yield* Effect.suspend(() => Fiber.interruptAll([...fibers]))
      })
  }
}
