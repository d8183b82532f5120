import { type AccessLogEntry, EVENT_PREFIX } from "../access-log/AccessLogEntry.js"
import type { AccessLogKey } from "../access-log/AccessLogStore.js"
import { disclosure, type OutboxEvent, type Payload, ruleIdOf, type WaitingEvent } from "../events/Event.js"
import type { AccessLogEntryId, AppId, ConnectionId, EventId, UserId } from "../shared/Ids.js"
import { earlier, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Delivery } from "./Delivery.js"

// What the user's access log says about events. Decisions access-log-4 and deliveries-12.

/**
 * The entries of the user's access log about an event (Spec §4.6.8, §4.7).
 *
 * - Every firing of a rule has an entry with the label of its place or zone, whether or not the event was sent.
 * - There is one exception: a firing has no entry when all its deliveries ended before the first attempt, because the
 *   endpoint was disabled or removed or got another address than the rule names, because the delivery was abandoned, or
 *   because the delivery to a legacy receiver (only in a worker's memory) was lost.
 * - An event has one entry for all its endpoints, attempts and replays. A retry that is withheld (not sent) adds an
 *   entry (decision M10).
 * - The entry's id is derived from the event, and its time from the event or from the due time of a withheld retry. So
 *   recording the entry again changes nothing.
 * - A delivery that was withheld before its first attempt gets no entry when another receiver got the event.
 *
 * The functions return undefined when the event is not about a person, or when the log needs no further entry.
 */

/** An event that was not sent. `entry` is written unless the user has an entry with one of the keys in `unless`. */
export interface Unsent {
  readonly entry: AccessLogEntry
  readonly unless: ReadonlyArray<AccessLogKey>
}

/**
 * The fields of a delivery from which an entry is made. Deliveries to an endpoint, to a legacy receiver and to a
 * listener all have these fields.
 */
type LoggedDelivery = Pick<
  Delivery,
  "appId" | "userId" | "envelope" | "maxEventAgeS" | "attempt" | "replayNo" | "createdAt" | "originalAt"
> & {
  /**
   * When the attempt was due. Left out for a legacy receiver and for a listener, whose deliveries have no stored due
   * time.
   */
  readonly dueAt?: Timestamp | null
}

/**
 * The entry of an event that is about to be sent. It is written before the first attempt, because the receiver may read
 * a request and never answer it.
 */
export const sent = (delivery: LoggedDelivery): AccessLogEntry | undefined => {
  // A replay writes the same entry as the original delivery, because the original may have failed before it was sent.
  const about = subjectOf(delivery)
  const disclosed = disclosure(delivery.envelope.payload)
  if (about === undefined || disclosed === undefined || delivery.attempt > 1) return undefined
  return entry(about, "sent", delivery.originalAt, 200, null, disclosed)
}

/** The entry of an event that was not sent, or not sent again, because it became older than its rule allows. */
export const withheld = (delivery: LoggedDelivery): Unsent | undefined => {
  const at = tooOldAt(delivery)
  const about = isRetry(delivery) ? subjectOf(delivery) : subject(delivery)
  if (at === undefined || about === undefined) return undefined
  if (isRetry(delivery)) {
    const words = noMore(about, "came too late to be sent again")
    return { entry: entry(about, "withheld_again", at, 410, "too_old", words), unless: [] }
  }
  const made = entry(about, "withheld", at, 410, "too_old", nothing(about, "came too late"))
  return { entry: made, unless: others(delivery, made) }
}

/**
 * The entry of an event that was not sent, or not sent again, because the user did not allow it at `now`
 * (`Authorisation.permits`). Only a firing of a rule has this entry.
 */
export const notAllowed = (delivery: LoggedDelivery, now: Timestamp): Unsent | undefined => {
  const about = isRetry(delivery) ? subjectOf(delivery) : subject(delivery)
  if (about === undefined || ruleIdOf(about.payload) === null) return undefined
  if (isRetry(delivery)) {
    // The time of the entry is the stored due time, and not `now`: a check that is repeated after a crash must make the
    // same entry. A due time in the future is replaced by `now`.
    const at = earlier(delivery.dueAt ?? now, now)
    const words = noMore(about, "was not sent again")
    return { entry: entry(about, "not_allowed_again", at, 403, "not_authorised", words), unless: [] }
  }
  const made = entry(about, "not_allowed", delivery.createdAt, 403, "not_authorised", nothing(about, "was not sent"))
  return { entry: made, unless: others(delivery, made) }
}

/** Whether the delivery was attempted before. Then the access log already has an entry that the event was sent. */
const isRetry = ({ attempt }: LoggedDelivery): boolean => attempt > 1

/** The fields of an event from which an entry is made when no delivery exists. */
type EventWithoutReceiver = Pick<OutboxEvent, "userId" | "appId" | "connectionId" | "id" | "payload" | "occurredAt">

/** The entry of a firing that has no receiver: neither an endpoint, nor a legacy receiver, nor a listener gets it. */
export const toNobody = (event: EventWithoutReceiver): AccessLogEntry | undefined =>
  ruleIdOf(event.payload) === null
    ? undefined
    : entry(
        { ...event, eventId: event.id },
        "to_nobody",
        event.occurredAt,
        404,
        "no_endpoint",
        nothing(event, "was sent to nobody")
      )

/**
 * The entry of a firing that occurred during a suspension. The entry has the same key as the entry that `notAllowed`
 * makes: a worker of an earlier release may have made a delivery for this event, and the user must not get two entries.
 */
export const duringSuspension = (event: EventWithoutReceiver & Pick<WaitingEvent, "storedAt">) =>
  ruleIdOf(event.payload) === null
    ? undefined
    : entry(
        { ...event, eventId: event.id },
        "not_allowed",
        event.storedAt,
        403,
        "not_authorised",
        nothing(event, "was not sent")
      )

interface Subject {
  readonly userId: UserId
  readonly appId: AppId
  readonly connectionId: ConnectionId
  readonly eventId: EventId
  readonly payload: Payload
}

/**
 * The keys of the other entries that the event may have. When the user has an entry with one of these keys, the entry
 * `own` is not written.
 */
const others = (delivery: LoggedDelivery, own: AccessLogKey): ReadonlyArray<AccessLogKey> => {
  const { createdAt, envelope, originalAt } = delivery
  const { eventId } = envelope
  const tooOld = tooOldAt(delivery)
  const keys: ReadonlyArray<AccessLogKey> = [
    { id: entryId(eventId, "sent"), at: originalAt },
    { id: entryId(eventId, "not_allowed"), at: createdAt },
    ...(tooOld === undefined ? [] : [{ id: entryId(eventId, "withheld"), at: tooOld }])
  ]
  return keys.filter(({ id }) => id !== own.id)
}

/**
 * The time at which the event became too old, or the creation time of the delivery if that is later. Undefined when the
 * event never becomes too old.
 */
const tooOldAt = ({ createdAt, envelope, maxEventAgeS }: LoggedDelivery): Timestamp | undefined => {
  if (maxEventAgeS === null) return undefined
  const at = plus(envelope.occurredAt, maxEventAgeS * SECOND)
  return at > createdAt ? at : createdAt
}

/**
 * The person, app and connection that the event is about. Undefined for a test event, which is about no person, and for
 * a replay: a replay that is withheld before its first attempt adds no entry (decision M10).
 */
const subject = (delivery: LoggedDelivery): Subject | undefined =>
  delivery.replayNo > 0 ? undefined : subjectOf(delivery)

/** The person, app and connection that the event is about. Undefined for a test event, which is about no person. */
const subjectOf = ({ appId, envelope, userId }: LoggedDelivery): Subject | undefined =>
  userId === null || envelope.grantId === null
    ? undefined
    : { userId, appId, connectionId: envelope.grantId, eventId: envelope.eventId, payload: envelope.payload }

const nothing = ({ payload }: { readonly payload: Payload }, why: string): string =>
  `nothing: “${disclosure(payload) ?? payload.type}” ${why}`

const noMore = ({ payload }: { readonly payload: Payload }, why: string): string =>
  `nothing more: “${disclosure(payload) ?? payload.type}” ${why}`

type What = "sent" | "withheld" | "withheld_again" | "not_allowed" | "not_allowed_again" | "to_nobody"

/** An id that follows from the event's id, so that the same entry is never stored twice. */
const entryId = (eventId: EventId, what: What) => `log_${eventId}_${what}` as AccessLogEntryId

const entry = (
  { appId, connectionId, eventId, payload, userId }: Subject,
  what: What,
  at: Timestamp,
  status: number,
  error: string | null,
  disclosed: string
): AccessLogEntry => ({
  userId,
  connectionId,
  id: entryId(eventId, what),
  at,
  appId,
  endpoint: `${EVENT_PREFIX}${payload.type}`,
  purpose: null,
  status,
  error,
  disclosed,
  times: 1
})
