import { type Duration, Effect, Exit, Fiber } from "effect"
import type { EndpointId } from "../shared/Ids.js"

/** The deliveries that this worker has in flight. */
export interface Flights {
  readonly size: () => number
  /**
   * Starts `attempt` concurrently. When the attempt ends, `onChange` runs if there may be new work: the attempt
   * returned true because a retry now waits, or the endpoint or the worker was full until now, or the worker now has
   * `enough` free slots.
   */
  readonly launch: <R>(
    endpointId: EndpointId,
    attempt: Effect.Effect<boolean, never, R>
  ) => Effect.Effect<void, never, R>
  /** Waits for all attempts to end. After `atMost` it interrupts the others; their leases run out. */
  readonly drain: (atMost: Duration.DurationInput) => Effect.Effect<void>
}

export interface Room {
  readonly slots: number
  /** The number of free slots at which a claim is worthwhile. */
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
