import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Delivery } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { RepeatAction } from "../idempotency/RepeatAction.js"
import { SeveralCommits } from "../idempotency/WithoutKey.js"
import { RateOfAccount, REDELIVERY } from "../security/RateOfAccount.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

// The API of the delivery log that developers read. It shows no payloads (decision deliveries-13).

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const DeliveryPath = Schema.Struct({
  ...AppPath.fields,
  delivery_id: Schema.String.pipe(Schema.brand("DeliveryId"))
})

/**
 * The fields of a delivery (Spec §2.9). The payload is left out, because the app may have lost the right to learn about
 * the event.
 */
const fields = {
  id: Schema.String,
  endpoint_id: Schema.String,
  event_id: Schema.String,
  type: Schema.Union(Event.EventType, Schema.Literal("rule.fired")).annotations({
    description:
      "The type of the event. `rule.fired`: no attempt was made, and the app was not authorised to get the event or, for a replay, perhaps not"
  }),
  occurred_at: Fields.NullableAt.annotations({
    description: "When the event occurred; null where `type` is `rule.fired`"
  }),
  state: Delivery.DeliveryState.annotations({
    description:
      "`trying`: an attempt is due or under way; `delivered`: the receiver answered with 2xx; `failed`: `fail_reason` says why; `too_old`: the event is older than its rule allows"
  }),
  fail_reason: Schema.NullOr(Delivery.FailReason).annotations({
    description:
      "Why the delivery failed. `exhausted`: every attempt failed; `endpoint_disabled`, `endpoint_removed`: this happened to the endpoint meanwhile; `address_changed`: the endpoint no longer has the address that the rule names; `not_authorised`: the app may not get the event; `not_sent`: a fault of this service; `abandoned`: no worker finished it; null: not failed"
  }),
  attempt: Schema.Int.annotations({
    description:
      "The number of the attempt in flight or, between attempts, of the next one. Once the delivery has ended: of the last attempt that was made, 0 if there was none"
  }),
  next_due_at: Fields.NullableAt.annotations({
    description:
      "When the next attempt is due or, if that is earlier, the event becomes too old to be sent. Later than that after an attempt that this service broke off several times. Null once the delivery has ended"
  }),
  sent_at: Fields.NullableAt.annotations({ description: "When the newest attempt was made; null: there was none" }),
  status: Schema.NullOr(Schema.Int).annotations({
    description: "The HTTP status that the receiver answered to the newest attempt; null: no answer"
  }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "Why the newest attempt failed, in words; null: no attempt was made, or the newest succeeded"
  }),
  created_at: Fields.At,
  ended_at: Fields.NullableAt,
  replay: Schema.Boolean.annotations({ description: "Whether somebody sent the event again by hand" }),
  replayed: Schema.Boolean.annotations({
    description: "Whether the event was sent again; a later row has the outcome"
  }),
  test: Schema.Boolean
}

const DeliveryBody = Schema.Struct(fields).annotations({ identifier: "Delivery" })

const Headers = Schema.Array(
  Schema.Struct({
    name: Schema.String.annotations({ description: "The name of the header" }),
    value: Schema.String.annotations({ description: "The value of the header" })
  }).annotations({ identifier: "Header" })
)

const toHeaders = (headers: ReadonlyArray<readonly [string, string]> = []): typeof Headers.Type =>
  headers.map(([name, value]) => ({ name, value }))

const Attempt = Schema.Struct({
  attempt: Schema.Int,
  sent_at: Fields.At,
  ended_at: Fields.At,
  status: Schema.NullOr(Schema.Int).annotations({
    description: "The HTTP status that the receiver answered; null: no answer"
  }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "Why the attempt failed, in words; null: it succeeded"
  }),
  snippet: Schema.NullOr(Schema.String).annotations({ description: "The first KiB of the receiver's answer" }),
  url: Schema.NullOr(Schema.String).annotations({
    description: "The address of this attempt; null for attempts that were made before it was stored"
  }),
  request_headers: Headers.annotations({
    description:
      "The headers that were sent. The values of the endpoint's own headers read `(hidden)`. For viewers of the app, the signature does too"
  }),
  response_headers: Headers.annotations({ description: "The first headers of the answer; empty without one" })
}).annotations({ identifier: "DeliveryAttempt" })

const Detail = Schema.Struct({
  ...fields,
  attempts: Schema.Array(Attempt).annotations({ description: "Oldest first" })
}).annotations({ identifier: "DeliveryWithAttempts" })

/**
 * The event of a delivery as the log shows it. For a withheld firing (`Delivery.isWithheld`) the log shows neither the
 * kind nor the time: perhaps the app was not allowed to learn them.
 */
export const shownEvent = (row: Omit<Delivery.Logged, "isReplayed">) => {
  const { occurredAt, payload } = row.delivery.envelope
  return Delivery.isWithheld(row) && Event.ruleIdOf(payload) !== null
    ? { type: "rule.fired" as const, occurredAt: null }
    : { type: payload.type, occurredAt }
}

const eventFields = (row: Delivery.Logged) => {
  const { occurredAt, type } = shownEvent(row)
  return { type, occurred_at: occurredAt }
}

export const toBody = ({ delivery, isReplayed, lastAttempt }: Delivery.Logged): typeof DeliveryBody.Type => ({
  id: delivery.id,
  endpoint_id: delivery.endpointId,
  event_id: delivery.envelope.eventId,
  ...eventFields({ delivery, isReplayed, lastAttempt }),
  state: delivery.state,
  fail_reason: delivery.failReason,
  // After the end of a delivery, `attempt` is the number of the last attempt that was made. `delivery.attempt` would be
  // wrong: it also counts the attempt that was due when the delivery ended, even if that attempt was never made.
  attempt: delivery.endedAt === null ? delivery.attempt : (lastAttempt?.attempt ?? 0),
  next_due_at: delivery.dueAt,
  sent_at: lastAttempt?.startedAt ?? null,
  status: lastAttempt?.status ?? null,
  error: lastAttempt?.error ?? null,
  created_at: delivery.createdAt,
  ended_at: delivery.endedAt,
  replay: delivery.replayNo > 0,
  replayed: isReplayed,
  test: delivery.isTest
})

export const toDetail = ({
  attempts,
  ...row
}: Omit<Delivery.Logged, "lastAttempt"> & {
  readonly attempts: ReadonlyArray<Delivery.Attempt>
}): typeof Detail.Type => ({
  ...toBody({ ...row, lastAttempt: attempts.at(-1) ?? null }),
  attempts: attempts.map((one) => ({
    attempt: one.attempt,
    sent_at: one.startedAt,
    ended_at: one.endedAt,
    status: one.status,
    error: one.error,
    snippet: one.snippet,
    url: one.exchange?.url ?? null,
    request_headers: toHeaders(one.exchange?.request),
    response_headers: toHeaders(one.exchange?.response)
  }))
})

/**
 * Decodes the filter `status` of deliveries: an HTTP status to a number, and `none` (no answer) to null. Receivers may
 * answer with statuses above 599, which HTTP does not define, and the log has these answers too.
 */
export const Status = Schema.transform(
  Schema.String.pipe(
    Schema.pattern(/^(?:[1-9]\d\d|none)$/, { message: () => "must be a status such as 404, or none" })
  ),
  Schema.NullOr(Schema.Int),
  {
    strict: true,
    decode: (text) => (text === "none" ? null : Number(text)),
    encode: (status) => (status === null ? "none" : String(status))
  }
).annotations({
  jsonSchema: {
    anyOf: [
      { type: "integer", minimum: 100, maximum: 999 },
      { type: "string", enum: ["none"] }
    ]
  }
})

const Query = Fields.request({
  endpoint_id: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(64), Schema.brand("EndpointId")), {
    exact: true
  }).annotations({ description: "Only the deliveries to this endpoint" }),
  event_id: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(64), Schema.brand("EventId")), {
    exact: true
  }).annotations({ description: "Only the deliveries of this event, replays included" }),
  type: Schema.optionalWith(Schema.Union(Event.EventType, Event.Subscribable), { exact: true }).annotations({
    description: "A payload type, or the name under which endpoints subscribe"
  }),
  state: Schema.optionalWith(Delivery.DeliveryState, { exact: true }).annotations({
    description: "Only the deliveries in this state"
  }),
  fail_reason: Schema.optionalWith(Delivery.FailReason, { exact: true }).annotations({
    description: "Only the deliveries that failed for this reason"
  }),
  status: Schema.optionalWith(Status, { exact: true }).annotations({
    description:
      "Only the deliveries to whose newest attempt the receiver answered this HTTP status; `none`: those whose newest attempt got no answer"
  }),
  from: Schema.optionalWith(Fields.QueryAt, { exact: true }).annotations({ description: "By created_at, inclusive" }),
  to: Schema.optionalWith(Fields.QueryAt, { exact: true }).annotations({ description: "By created_at, exclusive" }),
  ...Fields.paging(50, 200)
})

const isName = Schema.is(Event.Subscribable)

/**
 * The filter for the parameter `type`. A filter by one kind of firings leaves out the deliveries whose kind the log
 * does not show (`shownEvent`).
 */
export const typeFilter = (type: Event.EventType | Event.Subscribable | undefined) => ({
  types: type === undefined ? undefined : isName(type) ? Event.typesOf(type) : [type],
  leavesOutWithheld: type !== undefined && Schema.is(Event.RuleFired.fields.type)(type)
})

export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/deliveries")
      .setPath(AppPath)
      .setUrlParams(Query)
      .addSuccess(Schema.Struct({ deliveries: Schema.Array(DeliveryBody), nextCursor: Schema.NullOr(Schema.String) }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The delivery log, newest first")
      .annotate(
        OpenApi.Description,
        "Each row is one delivery of an event to an endpoint. A replay or a test has a row of its own. Filters can be combined."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/developer/apps/:app_id/deliveries/:delivery_id")
      .setPath(DeliveryPath)
      .addSuccess(Detail)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "One delivery with its attempts")
      .annotate(
        OpenApi.Description,
        "Each attempt has the receiver's status and the first KiB of its answer, or says what went wrong."
      )
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/v1/developer/apps/:app_id/deliveries/:delivery_id/redeliver")
      .setPath(DeliveryPath)
      .addSuccess(DeliveryBody, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, REDELIVERY)
      .annotate(OpenApi.Summary, "Send an event to an endpoint again")
      .annotate(
        OpenApi.Description,
        "Queues a new delivery with the same `event_id` and a new signature, and answers with its row. The new delivery never counts for or against the endpoint. 409 while a delivery of this event to the endpoint is still being attempted, when the event is older than its rule's `max_event_age_s`, when the endpoint is disabled or removed, and when the app was revoked. 429 after 300 in an hour; a redelivered test also counts towards the 30 tests in an hour."
      )
  )
  .add(
    HttpApiEndpoint.post("retryNow", "/v1/developer/apps/:app_id/deliveries/:delivery_id/retry-now")
      .setPath(DeliveryPath)
      .addSuccess(Detail)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Make the next attempt now")
      .annotate(
        OpenApi.Description,
        "Makes the next attempt of a delivery in progress due now. Uses no extra attempt and queues no second copy. The attempt never counts for or against the endpoint. 409 once the delivery has ended, and when the app was revoked."
      )
  )
  .add(
    HttpApiEndpoint.post("recover", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/recover")
      .setPath(Schema.Struct({ ...AppPath.fields, endpoint_id: Schema.String.pipe(Schema.brand("EndpointId")) }))
      .setPayload(Fields.request({ since: Fields.At }).annotations({ identifier: "Recover" }))
      .addSuccess(
        Schema.Struct({
          queued: Schema.Int.annotations({
            description: "How many deliveries were queued. 10,000 is the limit of one call: there may be more"
          })
        }).annotations({ identifier: "Recovered" })
      )
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(SeveralCommits, true)
      .annotate(OpenApi.Summary, "Send the failed events of an endpoint again")
      .annotate(
        OpenApi.Description,
        "Queues a new delivery, oldest first, for each failed delivery that was created at `since` or later and was not sent again yet. Leaves out tests, events that the app was not authorised to get, events older than their rule's `max_event_age_s`, and events that were sent again and failed as `address_changed`: first give the endpoint the address that their rule names. 409 when the endpoint is disabled, and when the app was revoked."
      )
  )
  .middleware(SessionAuth)
  .annotate(RepeatAction, "develop")
  .annotate(OpenApi.Title, "Deliveries")
  .annotate(OpenApi.Description, "For developers: the deliveries to webhook endpoints and their outcomes")
