import type { AccessLogEntry } from "../access-log/AccessLogEntry.js"
import type { Key } from "../access-log/AccessLogStore.js"
import { disclosure, type OutboxEvent, type Payload, ruleIdOf } from "../events/Event.js"
import type { AccessLogEntryId, AppId, ConnectionId, EventId, UserId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Delivery } from "./Delivery.js"

/**
 * What the user's access log says of an event (Spec §4.6.8, §4.7). Every firing of a rule is there, sent or not, by the label of
 * its place or zone; only one whose endpoints ended, or whose row was abandoned, before the first attempt is not. One entry
 * for an event, however many endpoints, attempts and replays it has, and one more for a retry that is withheld (decision M10).
 * Time and id follow from the event, so that recording again changes nothing. That it was kept back from one endpoint before the
 * first attempt is not entered when another was told. Undefined when there is nobody to tell or nothing more to tell.
 */

/** An event that was not sent, as it is entered if nothing else is of that event. */
export interface Unsent {
  readonly entry: AccessLogEntry
  readonly unless: ReadonlyArray<Key>
}

/** What is looked at of a delivery, to an endpoint, to a receiver of its own or to a listener. */
type Told = Pick<
  Delivery,
  "appId" | "userId" | "envelope" | "maxEventAgeS" | "attempt" | "replayNo" | "createdAt" | "originalAt"
> & {
  /** Stored with a row. A delivery that lives in memory has none. */
  readonly dueAt?: Timestamp | null
}

/** Kept before the event is first sent: an attempt that nobody answered may still have been read. */
export const sent = (delivery: Told): AccessLogEntry | undefined => {
  // Of a replay too: the original may have failed before it was ever sent. If it was sent, this is the very same entry.
  const about = subjectOf(delivery)
  const disclosed = disclosure(delivery.envelope.payload)
  if (about === undefined || disclosed === undefined || delivery.attempt > 1) return undefined
  return entry(about, "sent", delivery.originalAt, 200, null, disclosed)
}

/** The event became too old by its rule's own limit and was kept back: before it was sent, or at a retry. */
export const withheld = (delivery: Told): Unsent | undefined => {
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
 * The app may not be told any more at `now`, and was not: the rule had fired when the user or an admin took that away. Or the event
 * was sent before, and would have been sent again.
 */
export const notAllowed = (delivery: Told, now: Timestamp): Unsent | undefined => {
  const about = isRetry(delivery) ? subjectOf(delivery) : subject(delivery)
  if (about === undefined || ruleIdOf(about.payload) === null) return undefined
  if (isRetry(delivery)) {
    // The due time is stored with the row: judged again after a crash, it is the same entry.
    const at = plus(now, Math.min(0, (delivery.dueAt ?? now) - now))
    const words = noMore(about, "was not sent again")
    return { entry: entry(about, "not_allowed_again", at, 403, "not_authorised", words), unless: [] }
  }
  const made = entry(about, "not_allowed", delivery.createdAt, 403, "not_authorised", nothing(about, "was not sent"))
  return { entry: made, unless: others(delivery, made) }
}

/** An attempt was made before this one, so the log has the event as sent. */
const isRetry = ({ attempt }: Told): boolean => attempt > 1

/** What is looked at of an event that nobody was told. */
type Untold = Pick<OutboxEvent, "userId" | "appId" | "connectionId" | "id" | "payload" | "occurredAt">

/** The rule fired, and no endpoint of the app wants to hear of it, nor was anybody else told. */
export const toNobody = (event: Untold): AccessLogEntry | undefined =>
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

interface Subject {
  readonly userId: UserId
  readonly appId: AppId
  readonly connectionId: ConnectionId
  readonly eventId: EventId
  readonly payload: Payload
}

/** What the event may be entered as already. */
const others = (delivery: Told, own: Key): ReadonlyArray<Key> => {
  const { createdAt, envelope, originalAt } = delivery
  const { eventId } = envelope
  const tooOld = tooOldAt(delivery)
  const keys: ReadonlyArray<Key> = [
    { id: entryId(eventId, "sent"), at: originalAt },
    { id: entryId(eventId, "not_allowed"), at: createdAt },
    ...(tooOld === undefined ? [] : [{ id: entryId(eventId, "withheld"), at: tooOld }])
  ]
  return keys.filter(({ id }) => id !== own.id)
}

/** When it became too old, or was made, if it was too old already. */
const tooOldAt = ({ createdAt, envelope, maxEventAgeS }: Told): Timestamp | undefined => {
  if (maxEventAgeS === null) return undefined
  const at = plus(envelope.occurredAt, maxEventAgeS * SECOND)
  return at > createdAt ? at : createdAt
}

/** Replays were told when the original was. */
const subject = (delivery: Told): Subject | undefined => (delivery.replayNo > 0 ? undefined : subjectOf(delivery))

/** Nobody for a ping. */
const subjectOf = ({ appId, envelope, userId }: Told): Subject | undefined =>
  userId === null || envelope.grantId === null
    ? undefined
    : { userId, appId, connectionId: envelope.grantId, eventId: envelope.eventId, payload: envelope.payload }

const nothing = ({ payload }: { readonly payload: Payload }, why: string): string =>
  `nothing: “${disclosure(payload) ?? payload.type}” ${why}`

const noMore = ({ payload }: { readonly payload: Payload }, why: string): string =>
  `nothing more: “${disclosure(payload) ?? payload.type}” ${why}`

type What = "sent" | "withheld" | "withheld_again" | "not_allowed" | "not_allowed_again" | "to_nobody"

/** Made of one that was looked at already. */
const entryId = (eventId: EventId, what: What) => `log_${eventId}_${what}` as AccessLogEntryId

/** Field by field: each attempt makes one, and copies with `...` cost several times as much. */
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
  endpoint: `webhook ${payload.type}`,
  purpose: null,
  status,
  error,
  disclosed
})
