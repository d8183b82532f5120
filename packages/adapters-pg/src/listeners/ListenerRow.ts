import { Event } from "@place-access/domain/events"
import type { Listener } from "@place-access/domain/listeners"
import { AppId, EndpointId, EventId, ListenerId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import { Envelope, toEnvelope } from "../deliveries/DeliveryRow.js"
import * as Rows from "../driver/Rows.js"

/** The columns of `listeners` that make a `Listener`. */
export const ListenerRow = Schema.Struct({
  app_id: AppId,
  listener_id: ListenerId,
  endpoint_id: Schema.NullOr(EndpointId),
  events: Schema.Array(Event.Subscribable),
  created_at: Rows.At,
  seen_until: Rows.At
})

export const COLUMNS = Rows.columns(ListenerRow)

export const toListener = (row: typeof ListenerRow.Type): Listener.Listener => ({
  appId: row.app_id,
  id: row.listener_id,
  endpointId: row.endpoint_id,
  events: row.events,
  createdAt: row.created_at,
  seenUntil: row.seen_until
})

/** The columns of `listener_events` that make a `ListenerDelivery`. */
export const WaitingRow = Schema.Struct({
  app_id: AppId,
  listener_id: ListenerId,
  event_id: EventId,
  user_id: UserId,
  envelope: Envelope,
  occurred_at: Rows.At,
  max_event_age_s: Schema.NullOr(Schema.Int),
  created_at: Rows.At,
  position: Schema.Int,
  is_told: Schema.Boolean
})

export const WAITING_COLUMNS = Rows.columns(WaitingRow)

export const toWaiting = (row: typeof WaitingRow.Type): Listener.ListenerDelivery => ({
  appId: row.app_id,
  listenerId: row.listener_id,
  userId: row.user_id,
  envelope: {
    eventId: row.event_id,
    appId: row.app_id,
    grantId: row.envelope.grantId,
    payload: row.envelope.payload,
    occurredAt: row.occurred_at
  },
  maxEventAgeS: row.max_event_age_s,
  createdAt: row.created_at,
  position: row.position,
  hasReceiver: row.is_told
})

/** A waiting event as a record for `jsonb_to_recordset`, without `app_id`. */
export const toRecord = (waiting: Listener.ListenerDelivery) => ({
  listener_id: waiting.listenerId,
  event_id: waiting.envelope.eventId,
  user_id: waiting.userId,
  envelope: toEnvelope(waiting.envelope),
  occurred_at: Rows.at(waiting.envelope.occurredAt),
  max_event_age_s: waiting.maxEventAgeS,
  created_at: Rows.at(waiting.createdAt),
  position: waiting.position,
  is_told: waiting.hasReceiver
})
