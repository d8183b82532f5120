import { type Duration, Effect, Exit, Fiber } from "effect"
import * as Delivery from "../deliveries/Delivery.js"
import type { ClaimRequest } from "../deliveries/DeliveryStore.js"
import { Bag } from "../shared/Bag.js"
import type { EndpointId } from "../shared/Ids.js"
import * as Telemetry from "../shared/Telemetry.js"

/** The deliveries that this worker has in flight. */
export interface Flights {
  readonly size: () => number
  /** Whether the last attempt of this worker at the endpoint failed. */
  readonly isFailing: (endpointId: EndpointId) => boolean
  /** The endpoints whose last attempt by this worker failed, and how many more of their deliveries may be in flight. */
  readonly failing: () => NonNullable<ClaimRequest["failing"]>
  /** Whether a first attempt at the endpoint may begin. `most` limits this worker's first attempts at the endpoint. */
  readonly hasRoomForFirst: (endpointId: EndpointId, most: number) => boolean
  /** Notes the result of an attempt, and returns whether the delivery waits for another attempt. */
  readonly note: (endpointId: EndpointId, how: Delivery.DeliveryFinish | undefined) => boolean
  /**
   * Starts `attempt` concurrently. When the attempt ends, `onChange` runs if a claim may find more work: the attempt
   * returned true because a retry now waits; or the endpoint, the worker or the half for failing endpoints was full
   * until now; or the worker now has `enough` free slots.
   */
  readonly launch: <R>(
    endpointId: EndpointId,
    attempt: Effect.Effect<boolean, never, R>,
    kind?: Kind
  ) => Effect.Effect<void, never, R>
  /**
   * Waits for all attempts to end. After `atMost`, interrupts the attempts that are left: other workers make them again
   * when the leases have run out.
   */
  readonly drain: (atMost: Duration.DurationInput) => Effect.Effect<void>
}

/** A claimed delivery, or the first attempt at a delivery that is not stored yet. Each kind has its own limits. */
type Kind = "claimed" | "first"

export interface Room {
  readonly slots: number
  /** The number of free slots at which a claim is worthwhile. */
  readonly enough: number
  /** The most claimed deliveries of one endpoint in flight at once. */
  readonly perEndpoint: number
  readonly onChange: () => void
}

/** The most endpoints that are remembered as failing. When there are more, the one noted first is forgotten. */
const FAILING_MAX = 1_000

export const make = ({ slots, enough, perEndpoint, onChange }: Room): Flights => {
  const fibers = new Bag<Fiber.RuntimeFiber<boolean>>()
  const counts: Readonly<Record<Kind, Map<EndpointId, number>>> = { claimed: new Map(), first: new Map() }
  let underWay = 0
  // Half of the slots are kept free of first attempts. Otherwise a steady flow of events would take each slot that
  // comes free, and retries would wait.
  const firstMost = Math.floor(slots / 2)
  let firstUnderWay = 0
  // A receiver that does not answer keeps a slot for five seconds. Half of the slots are kept free of receivers whose
  // last attempt failed. Otherwise a few dozen such receivers would delay the deliveries to all other receivers.
  const failing = new Set<EndpointId>()
  const failingMost = Math.floor(slots / 2)
  let failingUnderWay = 0

  const begin = (id: EndpointId, kind: Kind): boolean => {
    const isFailing = failing.has(id)
    underWay++
    if (kind === "first") firstUnderWay++
    if (isFailing) failingUnderWay++
    const ofEndpoint = counts[kind]
    ofEndpoint.set(id, (ofEndpoint.get(id) ?? 0) + 1)
    return isFailing
  }
  const end = (id: EndpointId, kind: Kind, wasFailing: boolean, changed: boolean): void => {
    const ofEndpoint = counts[kind]
    const before = ofEndpoint.get(id) ?? 0
    const isEndpointFull = kind === "claimed" && before >= perEndpoint
    const wasFull = isEndpointFull || underWay >= slots || (wasFailing && failingUnderWay >= failingMost)
    underWay--
    if (kind === "first") firstUnderWay--
    if (wasFailing) failingUnderWay--
    const hasEnough = slots - underWay === enough
    if (before > 1) ofEndpoint.set(id, before - 1)
    else ofEndpoint.delete(id)
    if (changed || wasFull || hasEnough) onChange()
  }

  return {
    size: () => underWay,
    isFailing: (id) => failing.has(id),
    failing: () => ({ ids: [...failing], limit: Math.max(0, failingMost - failingUnderWay) }),
    hasRoomForFirst: (id, most) =>
      underWay < slots && firstUnderWay < firstMost && !failing.has(id) && (counts.first.get(id) ?? 0) < most,
    note: (id, how) => {
      if (how === undefined) return false
      const isMissed = how._tag === "Retry" || (how._tag === "Failed" && how.reason === "exhausted")
      if (how._tag === "Delivered" || isMissed) failing.delete(id)
      if (isMissed) failing.add(id)
      const [oldest] = failing
      if (failing.size > FAILING_MAX && oldest !== undefined) failing.delete(oldest)
      return Delivery.goesOn(how._tag)
    },
    launch: (id, attempt, kind = "claimed") =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const wasFailing = begin(id, kind)
          return Effect.map(Effect.forkDaemon(Effect.interruptible(Telemetry.inOwnTrace(attempt))), (fiber) => {
            fibers.add(fiber)
            fiber.addObserver((exit) => {
              fibers.delete(fiber)
              end(id, kind, wasFailing, Exit.isSuccess(exit) && exit.value)
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
