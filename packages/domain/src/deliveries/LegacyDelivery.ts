import { type Envelope, envelope, legacyBody, type OutboxEvent } from "../events/Event.js"
import type { Receiver } from "../legacy/Receiver.js"
import type { AppId, UserId } from "../shared/Ids.js"
import { MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import { type Answer, isSuccess, OWN_FAULT_WAIT } from "./Delivery.js"

/**
 * One event on its way to a receiver from before apps had endpoints (Spec §6.4.8). It lives in the memory of the worker that took
 * the event and is lost with it; it is in no log of deliveries and counts for nobody.
 */
export interface LegacyDelivery {
  readonly receiver: Receiver
  readonly appId: AppId
  readonly userId: UserId
  readonly envelope: Envelope
  readonly maxEventAgeS: number | null
  /** 1-based. */
  readonly attempt: number
  /** That of the event's other deliveries, so that they share one entry of the access log. */
  readonly createdAt: Timestamp
  readonly originalAt: Timestamp
  /** There are no replays. */
  readonly replayNo: 0
}

/** Waits after the end of each failed attempt: three attempts in all, the first at once. */
export const WAITS: ReadonlyArray<number> = [30 * SECOND, 5 * MINUTE]
/** Faults of our own for longer than this end it: it waits in memory. */
export const OWN_FAULT_LIMIT = 10 * MINUTE

/** The first attempt is due at once. */
export const begin = (event: OutboxEvent, receiver: Receiver, now: Timestamp): LegacyDelivery => ({
  receiver,
  appId: event.appId,
  userId: event.userId,
  envelope: envelope(event),
  maxEventAgeS: event.maxEventAgeS,
  attempt: 1,
  createdAt: now,
  originalAt: now,
  replayNo: 0
})

/** What is posted: it has the id of the subscription, if it goes to one. */
export const body = ({ envelope, receiver }: LegacyDelivery): string =>
  legacyBody(envelope, receiver._tag === "Subscription" ? receiver.id : null)

/** The attempt that follows, and when; undefined when there is none. */
export interface Next {
  readonly delivery: LegacyDelivery
  readonly dueAt: Timestamp
}

/** The next attempt; undefined when there is none. */
export const afterAttempt = (delivery: LegacyDelivery, answer: Answer, endedAt: Timestamp): Next | undefined => {
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
