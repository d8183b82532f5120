import { Either } from "effect"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import type { DeliveryId } from "../shared/Ids.js"
import { plus, type Timestamp } from "../shared/Timestamp.js"
import { type Delivery, isTooOld, type NewDelivery } from "./Delivery.js"

// Decides whether a developer can send an event again (a replay). Decisions deliveries-9, deliveries-10 and
// deliveries-11.

/** How many deliveries one call of `recover` replays at most. A developer with more failed deliveries calls again. */
export const RECOVERED_MAX = 10_000

/**
 * The data for the decision about a replay. The store reads them under the endpoint's lock, so that two replays of one
 * event do not both get the same number.
 */
export interface Replayable {
  readonly delivery: Delivery
  /** Null when the endpoint was removed. */
  readonly endpoint: Pick<WebhookEndpoint, "disabledAt" | "epoch"> | null
  /** The highest `replayNo` of the event at the endpoint. */
  readonly lastReplayNo: number
  /**
   * True when this delivery, or another delivery of the same event to the same endpoint, waits for an attempt or is in
   * flight.
   */
  readonly isPending: boolean
}

/** Why an event is not sent again (Spec §3.5, §4.7). */
export type ReplayRefusal = "pending" | "too_old" | "endpoint_removed" | "endpoint_disabled"

/** Why the event of the delivery cannot be sent again at `now`; undefined when it can. */
export const refusal = (
  { delivery: { envelope, maxEventAgeS, state }, endpoint, isPending }: Omit<Replayable, "lastReplayNo">,
  now: Timestamp
): ReplayRefusal | undefined => {
  if (isPending) return "pending"
  if (state === "too_old" || isTooOld({ occurredAt: envelope.occurredAt, maxEventAgeS }, now)) return "too_old"
  if (endpoint === null) return "endpoint_removed"
  return endpoint.disabledAt === null ? undefined : "endpoint_disabled"
}

/**
 * The row of the new delivery, or why the event is not sent again. The new delivery has the same event and endpoint, is
 * due at once, and begins with attempt 1.
 */
export const decide = (
  state: Replayable,
  id: DeliveryId,
  now: Timestamp
): Either.Either<NewDelivery, ReplayRefusal> => {
  const refused = refusal(state, now)
  if (refused !== undefined) return Either.left(refused)
  const { delivery, endpoint, lastReplayNo } = state
  // `refusal` has refused a null endpoint already, but the compiler cannot see this.
  return endpoint === null
    ? Either.left("endpoint_removed")
    : Either.right(replayOf(delivery, id, endpoint.epoch, lastReplayNo + 1, now))
}

const replayOf = (
  { appId, endpointId, envelope, isTest, maxEventAgeS, originalAt, userId }: Delivery,
  id: DeliveryId,
  endpointEpoch: number,
  replayNo: number,
  now: Timestamp
): NewDelivery => ({
  appId,
  id,
  endpointId,
  endpointEpoch,
  envelope,
  userId,
  maxEventAgeS,
  replayNo,
  isTest,
  createdAt: now,
  originalAt
})

/**
 * The due time of the recovered delivery with this `index`, counted from 0. Due times are one millisecond apart, so
 * that workers claim the deliveries in order.
 */
export const recoveredDueAt = (from: Timestamp, index: number): Timestamp => plus(from, index)

/**
 * The outcome of a request to make the next attempt at once. `hurried`: the attempt is due now, or was due already.
 * `under_way`: the attempt is in flight. `ended`: the delivery has ended and has no next attempt.
 */
export type Hurry = "hurried" | "under_way" | "ended"
