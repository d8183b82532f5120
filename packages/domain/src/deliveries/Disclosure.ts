import type { AccessLogEntry } from "../access-log/AccessLogEntry.js"
import { disclosure } from "../events/Event.js"
import { AccessLogEntryId, type ConnectionId, type UserId } from "../shared/Ids.js"
import { plus, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Delivery } from "./Delivery.js"

/**
 * What the user's access log says of an event (Spec §4.6.8, §4.7). One entry for an event, however many endpoints, attempts
 * and replays it has: time and id follow from the event, so that recording again changes nothing. Undefined when there is
 * nobody to tell or nothing more to tell.
 */

/** Kept before the event is first sent: an attempt that nobody answered may still have been read. */
export const sent = (delivery: Delivery): AccessLogEntry | undefined => {
  const about = subject(delivery)
  const disclosed = disclosure(delivery.envelope.payload)
  if (about === undefined || disclosed === undefined || delivery.attempt > 1) return undefined
  return {
    ...entry(delivery, about, "sent", delivery.createdAt),
    status: 200,
    error: null,
    disclosed
  }
}

/** The event became too old by its rule's own limit and was kept back. */
export const withheld = (delivery: Delivery): AccessLogEntry | undefined => {
  const about = subject(delivery)
  if (about === undefined || delivery.maxEventAgeS === null) return undefined
  const tooOldAt = plus(delivery.envelope.occurredAt, delivery.maxEventAgeS * SECOND)
  const at = tooOldAt > delivery.createdAt ? tooOldAt : delivery.createdAt
  return { ...entry(delivery, about, "withheld", at), status: 410, error: "too_old", disclosed: null }
}

interface Subject {
  readonly userId: UserId
  readonly connectionId: ConnectionId
}

/** Nobody for a ping; replays were told when the original was. */
const subject = ({ userId, envelope, replayNo }: Delivery): Subject | undefined =>
  userId === null || envelope.grantId === null || replayNo > 0 ? undefined : { userId, connectionId: envelope.grantId }

const entry = ({ appId, envelope }: Delivery, about: Subject, what: string, at: Timestamp) => ({
  ...about,
  id: AccessLogEntryId.make(`log_${envelope.eventId}_${what}`),
  at,
  appId,
  endpoint: `webhook ${envelope.payload.type}`,
  purpose: null
})
