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
export type Refusal = "pending" | "too_old" | "endpoint_removed" | "endpoint_disabled"

/** What stands in the way of sending the row again at `now`; undefined when nothing does. */
export const refusal = (
  { delivery, endpoint, isPending }: Omit<Replayable, "lastReplayNo">,
  now: Timestamp
): Refusal | undefined => {
  if (isPending) return "pending"
  const age = { occurredAt: delivery.envelope.occurredAt, maxEventAgeS: delivery.maxEventAgeS }
  if (delivery.state === "too_old" || isTooOld(age, now)) return "too_old"
  if (endpoint === null) return "endpoint_removed"
  return endpoint.disabledAt === null ? undefined : "endpoint_disabled"
}

/** The new row: the same event to the same endpoint, due at once, on a schedule of its own. */
export const decide = (state: Replayable, id: DeliveryId, now: Timestamp): Either.Either<NewDelivery, Refusal> => {
  const refused = refusal(state, now)
  if (refused !== undefined) return Either.left(refused)
  const { delivery, endpoint, lastReplayNo } = state
  // A row without its endpoint was refused.
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

/** When the one in place `index` of those that are recovered together is due: a millisecond apart, so that they go in order. */
export const recoveredDueAt = (from: Timestamp, index: number): Timestamp => plus(from, index)

/** What came of asking for the next attempt at once. */
export type Hurry = "hurried" | "under_way" | "ended"
