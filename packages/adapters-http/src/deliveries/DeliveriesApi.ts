import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import type { Delivery } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Any text: an id that cannot exist is one that does not exist, 404. */
const DeliveryPath = Schema.Struct({
  ...AppPath.fields,
  delivery_id: Schema.String.pipe(Schema.brand("DeliveryId"))
})

const State = Schema.Literal("trying", "delivered", "failed", "too_old")
const FailReason = Schema.Literal(
  "exhausted",
  "endpoint_disabled",
  "endpoint_removed",
  "not_authorised",
  "not_sent",
  "abandoned"
)

/**
 * Spec §2.9. Nothing of the payload: a row may be about an event that the app was not allowed to learn.
 */
const fields = {
  id: Schema.String,
  endpoint_id: Schema.String,
  event_id: Schema.String,
  type: Event.Type,
  occurred_at: Fields.At,
  state: State,
  fail_reason: Schema.NullOr(FailReason).annotations({
    description:
      "Why it failed: all attempts used, the endpoint disabled or removed while it waited, no longer authorised, never sent for a fault of this service, or abandoned because no worker of it came to an end with it"
  }),
  attempt: Schema.Int.annotations({
    description: "The attempt that is due or under way; once it ended the last one that was made, 0 when there was none"
  }),
  next_due_at: Fields.NullableAt.annotations({ description: "Null once it ended" }),
  sent_at: Fields.NullableAt.annotations({ description: "The newest attempt" }),
  status: Schema.NullOr(Schema.Int).annotations({ description: "What the receiver answered to it" }),
  error: Schema.NullOr(Schema.String).annotations({ description: "Why it counts as a failure" }),
  created_at: Fields.At,
  ended_at: Fields.NullableAt,
  replay: Schema.Boolean.annotations({ description: "Sent again by hand" }),
  replayed: Schema.Boolean.annotations({ description: "It was sent again: a later row says what became of that" }),
  test: Schema.Boolean
}

const DeliveryBody = Schema.Struct(fields).annotations({ identifier: "Delivery" })

const Attempt = Schema.Struct({
  attempt: Schema.Int,
  sent_at: Fields.At,
  ended_at: Fields.At,
  status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  snippet: Schema.NullOr(Schema.String).annotations({ description: "The first KiB of the answer" })
}).annotations({ identifier: "DeliveryAttempt" })

const Detail = Schema.Struct({
  ...fields,
  attempts: Schema.Array(Attempt).annotations({ description: "Oldest first" })
}).annotations({ identifier: "DeliveryWithAttempts" })

export const toBody = ({ delivery, isReplayed, lastAttempt }: Delivery.Logged): typeof DeliveryBody.Type => ({
  id: delivery.id,
  endpoint_id: delivery.endpointId,
  event_id: delivery.envelope.eventId,
  type: delivery.envelope.payload.type,
  occurred_at: delivery.envelope.occurredAt,
  state: delivery.state,
  fail_reason: delivery.failReason,
  // The one that was due when it ended was perhaps never made.
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
    snippet: one.snippet
  }))
})

const Query = Fields.request({
  endpoint_id: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(64), Schema.brand("EndpointId")), {
    exact: true
  }).annotations({ description: "Those to one endpoint" }),
  event_id: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(64), Schema.brand("EventId")), {
    exact: true
  }).annotations({ description: "Those of one event, replays too" }),
  type: Schema.optionalWith(Schema.Union(Event.Type, Event.Subscribable), { exact: true }).annotations({
    description: "A payload type, or the name that endpoints subscribe to"
  }),
  state: Schema.optionalWith(State, { exact: true }).annotations({
    description: "How they ended, or that they have not"
  }),
  from: Schema.optionalWith(Fields.QueryAt, { exact: true }).annotations({ description: "By created_at, inclusive" }),
  to: Schema.optionalWith(Fields.QueryAt, { exact: true }).annotations({ description: "By created_at, exclusive" }),
  ...Fields.paging(50, 200)
})

const isName = Schema.is(Event.Subscribable)

/** The payload types that a `type` stands for. */
export const typesOf = (type: Event.Type | Event.Subscribable): ReadonlyArray<Event.Type> =>
  isName(type) ? Event.typesOf(type) : [type]

export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/deliveries")
      .setPath(AppPath)
      .setUrlParams(Query)
      .addSuccess(Schema.Struct({ deliveries: Schema.Array(DeliveryBody), nextCursor: Schema.NullOr(Schema.String) }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The delivery log, newest first")
      .annotate(OpenApi.Description, "One row for each event and endpoint; filters narrow them.")
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/developer/apps/:app_id/deliveries/:delivery_id")
      .setPath(DeliveryPath)
      .addSuccess(Detail)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "One delivery with its attempts")
      .annotate(
        OpenApi.Description,
        "Each attempt with the status that the receiver answered, the first KiB of the answer, or what went wrong."
      )
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/v1/developer/apps/:app_id/deliveries/:delivery_id/redeliver")
      .setPath(DeliveryPath)
      .addSuccess(DeliveryBody, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Send an event to an endpoint again")
      .annotate(
        OpenApi.Description,
        "Queues a fresh attempt with the same event_id, signed anew, as a row of its own, which the answer has. It never counts for or against the endpoint. 409 while it is still being attempted, when the event is older than its rule's max_event_age_s, and when the endpoint is disabled or removed."
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
        "Brings the next attempt of a row that is being tried forward. Spends no extra attempt, queues no second copy, and what becomes of the attempt never counts for or against the endpoint. 409 once the row has ended."
      )
  )
  .add(
    HttpApiEndpoint.post("recover", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/recover")
      .setPath(Schema.Struct({ ...AppPath.fields, endpoint_id: Schema.String.pipe(Schema.brand("EndpointId")) }))
      .setPayload(Fields.request({ since: Fields.At }).annotations({ identifier: "Recover" }))
      .addSuccess(
        Schema.Struct({
          queued: Schema.Int.annotations({ description: "How many rows were made; with 10,000 there may be more" })
        }).annotations({ identifier: "Recovered" })
      )
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Send again what an endpoint lost")
      .annotate(
        OpenApi.Description,
        "Redelivers every row that failed since then and was not sent again, the oldest first. 409 when the endpoint is disabled."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Deliveries")
  .annotate(OpenApi.Description, "For developers: what was sent to webhook endpoints, and what became of it")
