import { Either } from "effect"
import type { WebhookEndpoint } from "../endpoints/WebhookEndpoint.js"
import type { DeliveryId } from "../shared/Ids.js"
import { plus, type Timestamp } from "../shared/Timestamp.js"
import { type Delivery, isTooOld, type NewDelivery } from "./Delivery.js"

/** What a redelivery depends on, read under the lock of the endpoint. */
export interface Replayable {
  readonly delivery: Delivery
  /** Null when it was removed. */
  readonly endpoint: Pick<WebhookEndpoint, "disabledAt" | "epoch"> | null
  /** The highest `replayNo` of the event at the endpoint. */
  readonly lastReplayNo: number
  /** This row, or another of the same event and endpoint, is being attempted. */
  readonly isPending: boolean
}

/** Why a row is not sent again (Spec §3.5, §4.7). */
export type Refusal = "test" | "pending" | "too_old" | "endpoint_removed" | "endpoint_disabled"

/** The new row: the same event to the same endpoint, due at once, on a schedule of its own. */
export const decide = (state: Replayable, id: DeliveryId, now: Timestamp): Either.Either<NewDelivery, Refusal> => {
  const { delivery, endpoint } = state
  if (delivery.isTest) return Either.left("test")
  if (state.isPending) return Either.left("pending")
  const age = { occurredAt: delivery.envelope.occurredAt, maxEventAgeS: delivery.maxEventAgeS }
  if (delivery.state === "too_old" || isTooOld(age, now)) return Either.left("too_old")
  if (endpoint === null) return Either.left("endpoint_removed")
  if (endpoint.disabledAt !== null) return Either.left("endpoint_disabled")
  return Either.right(replayOf(delivery, id, endpoint.epoch, state.lastReplayNo + 1, now))
}

const replayOf = (
  { appId, endpointId, envelope, maxEventAgeS, originalAt, userId }: Delivery,
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
  createdAt: now,
  originalAt
})

/** When the one in place `index` of those that are recovered together is due: a millisecond apart, so that they go in order. */
export const recoveredDueAt = (from: Timestamp, index: number): Timestamp => plus(from, index)

/** What came of asking for the next attempt at once. */
export type Hurry = "hurried" | "under_way" | "ended"
