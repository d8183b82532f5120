import { Delivery } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { AppId, ConnectionId, DeliveryId, EndpointId, EventId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** The part of an envelope that has no column of its own in `deliveries`. */
export const Envelope = Schema.Struct({
  grantId: Schema.NullOr(ConnectionId),
  payload: Event.Payload,
  isSample: Schema.optional(Schema.Literal(true))
})

export const toEnvelope = ({ grantId, isSample, payload }: Event.Envelope): typeof Envelope.Type => ({
  grantId,
  payload,
  ...(isSample === true ? { isSample } : {})
})

/** The columns of `deliveries` that make a `Delivery`. */
export const DeliveryRow = Schema.Struct({
  app_id: AppId,
  delivery_id: DeliveryId,
  endpoint_id: EndpointId,
  event_id: EventId,
  replay_no: Schema.Int,
  is_test: Schema.Boolean,
  is_hurried: Schema.Boolean,
  faults_since: Rows.NullableAt,
  original_at: Rows.NullableAt,
  user_id: Schema.NullOr(UserId),
  envelope: Envelope,
  occurred_at: Rows.At,
  max_event_age_s: Schema.NullOr(Schema.Int),
  state: Delivery.DeliveryState,
  fail_reason: Schema.NullOr(Delivery.FailReason),
  attempt: Schema.Int,
  due_at: Rows.NullableAt,
  created_at: Rows.At,
  ended_at: Rows.NullableAt
})
export type DeliveryRow = typeof DeliveryRow.Type

export const toDelivery = (row: DeliveryRow): Delivery.Delivery => ({
  appId: row.app_id,
  id: row.delivery_id,
  endpointId: row.endpoint_id,
  envelope: {
    eventId: row.event_id,
    appId: row.app_id,
    grantId: row.envelope.grantId,
    payload: row.envelope.payload,
    occurredAt: row.occurred_at,
    ...(row.envelope.isSample === true ? { isSample: true } : {})
  },
  userId: row.user_id,
  maxEventAgeS: row.max_event_age_s,
  state: row.state,
  failReason: row.fail_reason,
  attempt: row.attempt,
  dueAt: row.due_at,
  createdAt: row.created_at,
  endedAt: row.ended_at,
  replayNo: row.replay_no,
  isTest: row.is_test,
  isHurried: row.is_hurried,
  faultsSince: row.faults_since,
  originalAt: row.original_at ?? row.created_at
})

const HeaderList = Schema.Array(Schema.Tuple(Schema.String, Schema.String))
const Exchange = Schema.Struct({ url: Schema.String, request: HeaderList, response: HeaderList })

/** The columns of `delivery_attempts` that make an `Attempt`. */
export const AttemptRow = Schema.Struct({
  attempt: Schema.Int,
  started_at: Rows.At,
  ended_at: Rows.At,
  status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  snippet: Schema.NullOr(Schema.String),
  exchange: Schema.NullOr(Exchange)
})

export const toAttempt = (row: typeof AttemptRow.Type): Delivery.Attempt => ({
  attempt: row.attempt,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  status: row.status,
  error: row.error,
  snippet: row.snippet,
  ...(row.exchange === null ? {} : { exchange: row.exchange })
})

/** The HTTP exchange of an attempt as a parameter for a jsonb column; null when the attempt has no exchange. */
export const storedExchange = (attempt: Pick<Delivery.Attempt, "exchange"> | null): string | null =>
  attempt?.exchange === undefined ? null : Rows.json(exchangeRecord(attempt))

/**
 * The HTTP exchange of an attempt as JSON without NUL characters, which PostgreSQL cannot store; null when the attempt
 * has no exchange.
 */
export const exchangeRecord = (attempt: Pick<Delivery.Attempt, "exchange"> | null) => {
  const exchange = attempt?.exchange
  if (exchange === undefined) return null
  const clean = (headers: ReadonlyArray<readonly [string, string]>) =>
    headers.map(([name, value]) => [Rows.storable(name), Rows.storable(value)])
  return { url: Rows.storable(exchange.url), request: clean(exchange.request), response: clean(exchange.response) }
}
