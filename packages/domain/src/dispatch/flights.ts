import { type Duration, Effect, Exit, Fiber } from "effect"
import * as Delivery from "../deliveries/Delivery.js"
import type { StoredAttempt } from "../deliveries/deliver.js"
import type { ClaimRequest } from "../deliveries/DeliveryStore.js"
import { Bag } from "../shared/Bag.js"
import type { EndpointId } from "../shared/Ids.js"
import * as Telemetry from "../shared/Telemetry.js"

/** The deliveries to endpoints that this worker has in flight. */
export interface Flights {
  readonly size: () => number
  /** Whether the last attempt of this worker at the endpoint failed. */
  readonly isFailing: (endpointId: EndpointId) => boolean
  /**
   * The endpoints whose last attempt by this worker failed or took long, and how many more of their deliveries may be
   * in flight.
   */
  readonly slow: () => NonNullable<ClaimRequest["slow"]>
  /**
   * Whether a first attempt at the endpoint may begin. `most` limits this worker's first attempts at the endpoint.
   * `others` is the number of attempts at other endpoints that begin before this one and have no slot yet.
   */
  readonly hasRoomForFirst: (endpointId: EndpointId, most: number, others: number) => boolean
  /** Notes the result of an attempt, and returns whether the delivery waits for another attempt. */
  readonly note: (endpointId: EndpointId, stored: StoredAttempt | undefined) => boolean
  /**
   * Starts `attempt` concurrently. When the attempt ends, `onChange` runs if a claim may now find more work. This is so
   * in three cases:
   * - The attempt returned true, because the delivery waits for another attempt.
   * - The endpoint, the worker, or the half of the slots that slow endpoints may use was full until now.
   * - The worker now has `enough` free slots.
   */
  readonly launch: <R>(
    endpointId: EndpointId,
    attempt: Effect.Effect<boolean, never, R>,
    kind?: Kind
  ) => Effect.Effect<void, never, R>
  /**
   * Waits for all attempts to end. After `atMost`, interrupts the attempts that have not ended. Other workers make
   * these attempts again when the leases have run out.
   */
  readonly drain: (atMost: Duration.DurationInput) => Effect.Effect<void>
}

/** A claimed delivery, or the first attempt at a delivery that is not stored yet. Each kind has its own limits. */
type Kind = "claimed" | "first"

export interface Room {
  readonly slots: number
  /** When this number of slots is free, `onChange` runs, so that the worker makes a claim for all of them together. */
  readonly enough: number
  /** How many claimed deliveries of one endpoint may be in flight at once. */
  readonly perEndpoint: number
  readonly onChange: () => void
}

/**
 * How many slow endpoints are remembered at most. When there are more, the one that was added first is forgotten.
 */
const SLOW_MAX = 1_000
/** After an attempt that took longer than this number of milliseconds, the endpoint counts as slow. */
const SLOW_MILLIS = 1_000

export const make = ({ slots, enough, perEndpoint, onChange }: Room): Flights => {
  const fibers = new Bag<Fiber.RuntimeFiber<boolean>>()
  const counts: Readonly<Record<Kind, Map<EndpointId, number>>> = { claimed: new Map(), first: new Map() }
  let underWay = 0
  // First attempts may use only half of the slots. Otherwise a steady flow of events would take each slot that becomes
  // free, and retries would wait.
  const firstMost = Math.floor(slots / 2)
  let firstUnderWay = 0
  // A receiver that does not answer, or that answers late, keeps a slot for up to five seconds. Endpoints whose last
  // attempt failed or took long may use only half of the slots. Otherwise a few dozen slow receivers would delay the
  // deliveries to all others.
  const slow = new Map<EndpointId, "failing" | "late">()
  const slowMost = Math.floor(slots / 2)
  let slowUnderWay = 0

  const begin = (id: EndpointId, kind: Kind): boolean => {
    const isSlow = slow.has(id)
    underWay++
    if (kind === "first") firstUnderWay++
    if (isSlow) slowUnderWay++
    const ofEndpoint = counts[kind]
    ofEndpoint.set(id, (ofEndpoint.get(id) ?? 0) + 1)
    return isSlow
  }
  const end = (id: EndpointId, kind: Kind, wasSlow: boolean, changed: boolean): void => {
    const ofEndpoint = counts[kind]
    const before = ofEndpoint.get(id) ?? 0
    const isEndpointFull = kind === "claimed" && before >= perEndpoint
    const wasFull = isEndpointFull || underWay >= slots || (wasSlow && slowUnderWay >= slowMost)
    underWay--
    if (kind === "first") firstUnderWay--
    if (wasSlow) slowUnderWay--
    const hasEnough = slots - underWay === enough
    if (before > 1) ofEndpoint.set(id, before - 1)
    else ofEndpoint.delete(id)
    if (changed || wasFull || hasEnough) onChange()
  }

  return {
    size: () => underWay,
    isFailing: (id) => slow.get(id) === "failing",
    slow: () => ({ ids: [...slow.keys()], limit: Math.max(0, slowMost - slowUnderWay) }),
    hasRoomForFirst: (id, most, others) =>
      underWay + others < slots &&
      firstUnderWay + others < firstMost &&
      slow.get(id) !== "failing" &&
      (!slow.has(id) || slowUnderWay + others < slowMost) &&
      (counts.first.get(id) ?? 0) < most,
    note: (id, stored) => {
      if (stored === undefined) return false
      const { how, tookMillis } = stored
      const isMissed = how._tag === "Retry" || (how._tag === "Failed" && how.reason === "exhausted")
      if (how._tag === "Delivered" || isMissed) slow.delete(id)
      if (isMissed) slow.set(id, "failing")
      else if (tookMillis > SLOW_MILLIS && !slow.has(id)) slow.set(id, "late")
      const [oldest] = slow.keys()
      if (slow.size > SLOW_MAX && oldest !== undefined) slow.delete(oldest)
      return Delivery.goesOn(how._tag)
    },
    launch: (id, attempt, kind = "claimed") =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const wasSlow = begin(id, kind)
          return Effect.map(Effect.forkDaemon(Effect.interruptible(Telemetry.inOwnTrace(attempt))), (fiber) => {
            fibers.add(fiber)
            fiber.addObserver((exit) => {
              fibers.delete(fiber)
              end(id, kind, wasSlow, Exit.isSuccess(exit) && exit.value)
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
