import { Cause, Duration, Effect, Option } from "effect"
import { claimDue, deliver } from "../deliveries/deliver.js"
import type { ClaimedDelivery } from "../deliveries/DeliveryStore.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Alarm } from "./alarm.js"
import type { DueTimes } from "./dueTimes.js"
import type { Flights } from "./flights.js"
import { pauseAfter, remaining } from "./workerLoops.js"

/**
 * When a claim returned as many deliveries as it asked for, a backlog waits. The worker then makes the next claim when
 * half of its slots (one for each attempt in flight) are free, or after this time. With a claim for each free slot, the
 * deliveries would synchronise: all would wait for the database at once, and then all for their receivers.
 */
const BACKLOG_PAUSE_MILLIS = 50

/** The pause after a claim that skipped an endpoint because another transaction, usually a claim, had locked it. */
const SKIPPED_PAUSE = Duration.millis(20)

export interface DeliveryLoopOptions {
  readonly slots: number
  /** How many deliveries one claim takes at most: half of the slots. */
  readonly batch: number
  /** How many claimed deliveries to one endpoint all workers together may have in flight. */
  readonly perEndpoint: number
  readonly flights: Flights
  readonly dueTimes: DueTimes
  readonly toDeliver: Alarm
  /**
   * Called with the time of each successful claim, even if the claim found nothing. Not called when the claim failed.
   */
  readonly onClaim: (at: Timestamp.Timestamp) => void
  /** Called when a turn claims nothing because all slots are in use. */
  readonly onFull: () => void
}

/**
 * A turn of the delivery loop: claims due deliveries, at most one for each free slot and at most `batch`, and begins
 * their attempts. Then the turn waits for the next due time or a signal (`toDeliver`), unless more deliveries may be
 * due. When no slot is free, the turn claims nothing and waits for a signal. With a backlog, a turn may claim nothing
 * and only pause (`BACKLOG_PAUSE_MILLIS`).
 */
export const make = (options: DeliveryLoopOptions) => {
  const { batch, dueTimes, flights, onClaim, onFull, perEndpoint, slots, toDeliver } = options
  /** The time of the last claim, if this claim returned as many deliveries as it asked for; otherwise undefined. */
  let filledAt: Timestamp.Timestamp | undefined

  const claim = (limit: number) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(claimDue(limit, perEndpoint, flights.slow())), ({ claims, leaseUntil }) =>
        Effect.forEach(
          claims,
          (one) => flights.launch(one.delivery.endpointId, attempt(one, leaseUntil, flights, dueTimes.forget)),
          { discard: true }
        )
      )
    )

  return Effect.gen(function* () {
    const free = slots - flights.size()
    if (free <= 0) {
      onFull()
      return yield* toDeliver.wait(Option.none())
    }
    const pauseMillis =
      free < batch && filledAt !== undefined ? remaining(filledAt, BACKLOG_PAUSE_MILLIS, yield* Timestamp.now) : 0
    if (pauseMillis > 0) return yield* toDeliver.wait(Option.some(Duration.millis(pauseMillis)))
    const limit = Math.min(free, batch)
    const { claims, isSkipping, isUnfinished, now } = yield* claim(limit)
    onClaim(now)
    filledAt = claims.length === limit ? now : undefined
    if (filledAt !== undefined) return
    if (claims.length > 0) yield* pauseAfter(now)
    if (isUnfinished) return
    if (isSkipping) return yield* toDeliver.wait(Option.some(SKIPPED_PAUSE))
    const next = yield* dueTimes.next(now)
    return yield* toDeliver.wait(Option.map(next, (at) => Duration.millis(at - now)))
  })
}

/** Makes an attempt. Calls `onWait` and returns true when the delivery now waits for another attempt. */
const attempt = (
  claim: ClaimedDelivery,
  leaseUntil: Parameters<typeof deliver>[1],
  { note }: Flights,
  onWait: () => void
) =>
  deliver(claim, leaseUntil).pipe(
    Effect.map((stored) => {
      const waits = note(claim.delivery.endpointId, stored)
      if (waits) onWait()
      return waits
    }),
    Effect.catchAllCause((cause) =>
      Effect.as(
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.logWarning("A delivery is left to its lease", claim.delivery.id, cause),
        false
      )
    )
  )
