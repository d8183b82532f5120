import { type Envelope, envelope, legacyBody, type WaitingEvent } from "../events/Event.js"
import type { LegacyReceiver } from "../legacy/Receiver.js"
import type { AppId, UserId } from "../shared/Ids.js"
import { MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { WebhookAnswer } from "../endpoints/WebhookSender.js"
import { isSuccess, OWN_FAULT_WAIT } from "../deliveries/Delivery.js"

// Deliveries to receivers from before apps had endpoints. Decisions legacy-4 and legacy-5.

/** An event to a legacy receiver (Spec §6.4.8), in its worker's memory only: no delivery log, no strikes. */
export interface LegacyDelivery {
  readonly receiver: LegacyReceiver
  readonly appId: AppId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /** Counted from 1. */
  readonly attempt: number
  /** The creation time of the event's other deliveries, so that all of them share one entry of the access log. */
  readonly createdAt: Timestamp
  readonly originalAt: Timestamp
  /** Always 0: legacy deliveries cannot be replayed. */
  readonly replayNo: 0
}

/** The waits after each failed attempt, from its end: three attempts in all, the first at once. */
export const WAITS: ReadonlyArray<number> = [30 * SECOND, 5 * MINUTE]
/** A delivery that cannot be attempted for this long, by a fault of our own, ends: it takes up a worker's memory. */
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

/** The body. For a subscription it has the subscription's id. */
export const body = ({ envelope, receiver }: LegacyDelivery): string =>
  legacyBody(envelope, receiver._tag === "Subscription" ? receiver.id : null)

/** The next attempt and its time. */
export interface Next {
  readonly delivery: LegacyDelivery
  readonly dueAt: Timestamp
}

/** The next attempt; undefined when there is none. */
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
