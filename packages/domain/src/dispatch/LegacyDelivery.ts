import { type Envelope, envelope, legacyBody, type WaitingEvent } from "../events/Event.js"
import type { LegacyReceiver } from "../legacy/Receiver.js"
import type { AppId, UserId } from "../shared/Ids.js"
import { MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import { isSuccess, OWN_FAULT_WAIT } from "../deliveries/Delivery.js"

// Deliveries to legacy receivers: addresses from before apps had webhook endpoints. Decisions legacy-4 and legacy-5.

/**
 * The delivery of an event to a legacy receiver (Spec §6.4.8). It is only in the memory of the worker that fanned the
 * event out, so it is in no delivery log and adds no strikes.
 */
export interface LegacyDelivery {
  readonly receiver: LegacyReceiver
  readonly appId: AppId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /** The number of this attempt, counted from 1. */
  readonly attempt: number
  /** When the event was stored, as in the event's other deliveries: then all of them share one access log entry. */
  readonly createdAt: Timestamp
  readonly originalAt: Timestamp
  /** Always 0: legacy deliveries cannot be replayed. */
  readonly replayNo: 0
}

/** The waits in milliseconds after the end of the first and of the second failed attempt. The third is the last. */
export const WAITS: ReadonlyArray<number> = [30 * SECOND, 5 * MINUTE]
/**
 * After a fault of our own, such as a failing store, the worker repeats an attempt only if the delivery is at most this
 * old, in milliseconds. Otherwise a long fault would fill the worker's memory with deliveries.
 */
export const OWN_FAULT_LIMIT = 10 * MINUTE

/** A new delivery, due at once. */
export const begin = (event: WaitingEvent, receiver: LegacyReceiver): LegacyDelivery => ({
  receiver,
  appId: event.appId,
  userId: event.userId,
  envelope: envelope(event),
  maxEventAgeS: event.maxEventAgeS,
  attempt: 1,
  createdAt: event.storedAt,
  originalAt: event.storedAt,
  replayNo: 0
})

/** The JSON body of the webhook. For a subscription it contains the subscription's id. */
export const body = ({ envelope, receiver }: LegacyDelivery): string =>
  legacyBody(envelope, receiver._tag === "Subscription" ? receiver.id : null)

/** The next attempt and its time. */
export interface Next {
  readonly delivery: LegacyDelivery
  readonly dueAt: Timestamp
}

/**
 * The next attempt. Undefined after a success, after the last attempt, and after a fault of our own when the delivery
 * is older than `OWN_FAULT_LIMIT`.
 */
export const afterAttempt = (delivery: LegacyDelivery, answer: WebhookAnswer, endedAt: Timestamp): Next | undefined => {
  if (isSuccess(answer)) return undefined
  if (answer._tag === "NotSent") {
    return endedAt - delivery.createdAt > OWN_FAULT_LIMIT
      ? undefined
      : { delivery, dueAt: plus(endedAt, OWN_FAULT_WAIT) }
  }
  const wait = WAITS[delivery.attempt - 1]
  return wait === undefined
    ? undefined
    : { delivery: { ...delivery, attempt: delivery.attempt + 1 }, dueAt: plus(endedAt, wait) }
}
