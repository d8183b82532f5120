import { type Envelope, envelope, legacyBody, type WaitingEvent } from "../events/Event.js"
import type { LegacyReceiver } from "../legacy/Receiver.js"
import type { AppId, UserId } from "../shared/Ids.js"
import { MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import { isSuccess, OWN_FAULT_WAIT } from "../deliveries/Delivery.js"

// Deliveries to legacy receivers: addresses that apps registered before there were webhook endpoints. Decisions
// legacy-4 and legacy-5.

/**
 * The delivery of an event to a legacy receiver (Spec §6.4.8). It exists only in the memory of the worker that fanned
 * the event out. So it is in no delivery log, and its failures add no strikes.
 */
export interface LegacyDelivery {
  readonly receiver: LegacyReceiver
  readonly appId: AppId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /** The number of this attempt, counted from 1. */
  readonly attempt: number
  /** Since when faults of the service have delayed this attempt; null when no fault has. */
  readonly faultsSince: Timestamp | null
  /** When the event was stored. All deliveries of the event have this same time, so they share one access log entry. */
  readonly createdAt: Timestamp
  readonly originalAt: Timestamp
  /** Always 0: legacy deliveries cannot be replayed. */
  readonly replayNo: 0
}

/** The waits in milliseconds after the first and after the second failed attempt. The third attempt is the last. */
export const WAITS: ReadonlyArray<number> = [30 * SECOND, 5 * MINUTE]
/**
 * How long, in milliseconds, the worker repeats an attempt after faults of the service, such as a failing store.
 * Without this limit, a long fault would use up the worker's room for legacy deliveries, and new ones would be lost.
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
  faultsSince: null,
  createdAt: event.storedAt,
  originalAt: event.storedAt,
  replayNo: 0
})

/**
 * Whether a worker takes one more delivery of an app into its memory. The memory already contains `ofApp` deliveries of
 * this app, and has room for `free` more deliveries of any app. So one app alone gets at most half of the room. When
 * two apps have more deliveries than the room can take, each app gets a third of the room; of three apps, each gets a
 * quarter, and so on. So apps whose receivers never answer always leave room for another app.
 */
export const mayBeKept = (ofApp: number, free: number): boolean => ofApp < free

/** The JSON body of the webhook. When the receiver is a subscription, the body contains the subscription's id. */
export const body = ({ envelope, receiver }: LegacyDelivery): string =>
  legacyBody(envelope, receiver._tag === "Subscription" ? receiver.id : null)

/** The delivery with the number of its next attempt, and the time when that attempt is due. */
export interface Next {
  readonly delivery: LegacyDelivery
  readonly dueAt: Timestamp
}

/**
 * The next attempt. Undefined after a success, after the last attempt, and when faults of the service have delayed the
 * attempt for longer than `OWN_FAULT_LIMIT`.
 */
export const afterAttempt = (delivery: LegacyDelivery, answer: WebhookAnswer, endedAt: Timestamp): Next | undefined => {
  if (isSuccess(answer)) return undefined
  if (answer._tag === "NotSent") {
    const faultsSince = delivery.faultsSince ?? endedAt
    return endedAt - faultsSince > OWN_FAULT_LIMIT
      ? undefined
      : { delivery: { ...delivery, faultsSince }, dueAt: plus(endedAt, OWN_FAULT_WAIT) }
  }
  const wait = WAITS[delivery.attempt - 1]
  return wait === undefined
    ? undefined
    : { delivery: { ...delivery, attempt: delivery.attempt + 1, faultsSince: null }, dueAt: plus(endedAt, wait) }
}
