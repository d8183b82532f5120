import { type Duration, Effect, Exit, Fiber } from "effect"
import type { ClaimRequest } from "../deliveries/DeliveryStore.js"
import type { EndpointId } from "../shared/Ids.js"

/** The deliveries that this worker has in flight. */
export interface Flights {
  readonly size: () => number
  /** The endpoints whose last attempt by this worker failed, and how many more of their deliveries may be in flight. */
  readonly failing: () => NonNullable<ClaimRequest["failing"]>
  /** Notes whether an attempt arrived. */
  readonly note: (endpointId: EndpointId, hasArrived: boolean) => void
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

/** The most endpoints that are remembered as failing. Beyond that the one that was noted first is forgotten. */
const FAILING_MAX = 1_000

export const make = ({ slots, enough, perEndpoint, onChange }: Room): Flights => {
  const fibers = new Set<Fiber.RuntimeFiber<boolean>>()
  const ofEndpoint = new Map<EndpointId, number>()
  let underWay = 0
  // A receiver that does not answer keeps a slot for five seconds. Half of the slots are kept free of receivers whose
  // last attempt failed. Otherwise a few dozen of them would slow all the others down.
  const failing = new Set<EndpointId>()
  const failingMost = Math.floor(slots / 2)
  let failingUnderWay = 0

  const begin = (id: EndpointId): boolean => {
    const isFailing = failing.has(id)
    underWay++
    if (isFailing) failingUnderWay++
    ofEndpoint.set(id, (ofEndpoint.get(id) ?? 0) + 1)
    return isFailing
  }
  const end = (id: EndpointId, wasFailing: boolean, changed: boolean): void => {
    const before = ofEndpoint.get(id) ?? 0
    const wasFull = before >= perEndpoint || underWay >= slots || (wasFailing && failingUnderWay >= failingMost)
    underWay--
    if (wasFailing) failingUnderWay--
    const hasEnough = slots - underWay === enough
    if (before > 1) ofEndpoint.set(id, before - 1)
    else ofEndpoint.delete(id)
    if (changed || wasFull || hasEnough) onChange()
  }

  return {
    size: () => underWay,
    failing: () => ({ ids: [...failing], limit: Math.max(0, failingMost - failingUnderWay) }),
    note: (id, hasArrived) => {
      failing.delete(id)
      if (hasArrived) return
      failing.add(id)
      const [oldest] = failing
      if (failing.size > FAILING_MAX && oldest !== undefined) failing.delete(oldest)
    },
    launch: (id, attempt) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const wasFailing = begin(id)
          return Effect.map(Effect.forkDaemon(Effect.interruptible(attempt)), (fiber) => {
            fibers.add(fiber)
            fiber.addObserver((exit) => {
              fibers.delete(fiber)
              end(id, wasFailing, Exit.isSuccess(exit) && exit.value)
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
