import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { EndpointHeader, EndpointUrl, type HeaderChanges, WebhookEndpoint } from "@place-access/domain/endpoints"
import { WebhookSender } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { NEW_SECRET, RateOfAccount, TEST, WEBHOOK_ADDRESS } from "../security/RateOfAccount.js"
import { Effect, ParseResult, Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import { RepeatAction } from "../idempotency/RepeatAction.js"
import { LooksUpUrl, WithoutKey } from "../idempotency/WithoutKey.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const EndpointPath = Schema.Struct({
  ...AppPath.fields,
  endpoint_id: Schema.String.pipe(Schema.brand("EndpointId"))
})

export const EndpointBody = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Event.Subscribable).annotations({
    description: "Empty: every event, also types that are added later"
  }),
  description: Schema.NullOr(Schema.String).annotations({
    description: "The team's note about the endpoint; null: there is none"
  }),
  header_names: Schema.Array(Schema.String).annotations({
    description: "The names of the endpoint's own headers. Their values are not shown"
  }),
  enabled: Schema.Boolean,
  disabled_at: Fields.NullableAt,
  created_at: Fields.At
}).annotations({ identifier: "WebhookEndpoint" })

const WithSecret = Schema.Struct({
  ...EndpointBody.fields,
  secret: Schema.String.annotations({ description: "The signing secret. It is not shown again" })
}).annotations({ identifier: "WebhookEndpointWithSecret" })

const TestResult = Schema.Struct({
  delivered: Schema.Boolean,
  status: Schema.NullOr(Schema.Int).annotations({
    description: "The HTTP status that the receiver answered; null when it did not answer"
  }),
  detail: Schema.String.annotations({
    description: "What happened, in words: what the receiver answered, or why there is no answer"
  })
}).annotations({ identifier: "WebhookTest" })

export const toBody = (endpoint: WebhookEndpoint.WebhookEndpoint): typeof EndpointBody.Type => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  header_names: endpoint.headers.map(({ name }) => name),
  enabled: WebhookEndpoint.isEnabled(endpoint),
  disabled_at: endpoint.disabledAt,
  created_at: endpoint.createdAt
})

/**
 * Checks the text of an address together with the other fields, so that one answer names all faults. This schema does
 * not look up the host name. The program of the route looks up the host name. For a request with an `Idempotency-Key`,
 * the look-up runs earlier (`LooksUpUrl`).
 */
const Url = Schema.transformOrFail(Schema.String, Schema.String, {
  strict: true,
  decode: (text, _, ast) =>
    Effect.flatMap(WebhookSender, (sender) => {
      const fault = sender.faultOf(text)
      return fault === undefined ? ParseResult.succeed(text) : ParseResult.fail(new ParseResult.Type(ast, text, fault))
    }),
  encode: ParseResult.succeed
}).annotations({ jsonSchema: { type: "string", maxLength: EndpointUrl.MAX_LENGTH } })

const Name = EndpointHeader.HeaderName
const Value = EndpointHeader.HeaderValue

const VALUE = `The value of the header, 1 to ${EndpointHeader.VALUE_MAX.toLocaleString("en")} visible ASCII characters`

const HEADER_NAME = Schema.propertySignature(Name).annotations({
  description:
    "The name of the header: 1 to 64 letters, digits and hyphens. Names with a meaning in HTTP or for webhooks, such as `host`, `content-…` and `webhook-…`, are refused"
})

const Events = Fields.listOf(Event.Subscribable, Event.SUBSCRIBABLE.length)

const OwnHeaders = Fields.listOf(
  Schema.Struct({
    name: HEADER_NAME,
    value: Schema.propertySignature(Value).annotations({ description: VALUE })
  }),
  EndpointHeader.MAX
).annotations({
  description: `Headers of every webhook to the endpoint, at most ${EndpointHeader.MAX}. Values are stored encrypted and not shown again`
})

/** A request can remove every stored header and set as many new headers. */
const HeaderEdits = Fields.listOf(
  Schema.Struct({
    name: HEADER_NAME,
    value: Schema.propertySignature(Schema.NullOr(Value)).annotations({
      description: `${VALUE}; null removes the header`
    })
  }),
  2 * EndpointHeader.MAX
).annotations({
  description:
    "Own headers to set or replace; a null value removes the header. Others stay. When `url` has another scheme, host or port, this list must name each stored header; an empty list then removes all of them"
})

const NewEndpoint = Fields.request({
  url: Url,
  events: Fields.optional(
    Events.annotations({
      description: "The events to send; empty or left out: every event, also types that are added later"
    })
  ),
  description: Fields.optional(WebhookEndpoint.EndpointDescription).annotations({
    description: "The team's note about the endpoint"
  }),
  headers: Fields.optional(OwnHeaders)
})

const Enabled = Schema.Boolean.pipe(
  Schema.filter((enabled): enabled is true => enabled, {
    message: () => "can only be set to true: endpoints are disabled by the service, or removed"
  })
)

const Edit = Fields.request({
  url: Fields.optional(Url),
  events: Fields.optional(
    Events.annotations({
      description: "The events to send from now on; empty: every event. Left out: no change"
    })
  ),
  /** Null removes the description. */
  description: Schema.optionalWith(
    Schema.NullOr(WebhookEndpoint.EndpointDescription).annotations({
      description: "The team's note about the endpoint; null removes it"
    }),
    { exact: true }
  ),
  enabled: Fields.optional(Enabled).annotations({
    description: "`true` enables the endpoint again. `false` is refused: only the service disables an endpoint"
  }),
  headers: Fields.optional(HeaderEdits)
})

export const EndpointsApi = HttpApiGroup.make("endpoints")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/webhooks")
      .setPath(AppPath)
      .addSuccess(Schema.Struct({ webhooks: Schema.Array(EndpointBody), nextCursor: Schema.Null }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The app's webhook endpoints, oldest first")
      .annotate(
        OpenApi.Description,
        `Without their secrets. The list has one page, as an app has at most ${WebhookEndpoint.MAX_PER_APP}.`
      )
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/developer/apps/:app_id/webhooks")
      .annotate(LooksUpUrl, true)
      .setPath(AppPath)
      .setPayload(NewEndpoint)
      .addSuccess(WithSecret, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, WEBHOOK_ADDRESS)
      .annotate(OpenApi.Summary, "Add a webhook endpoint")
      .annotate(
        OpenApi.Description,
        "The address is https, with a public host name that resolves to public addresses, without user name, password and fragment. Only this answer shows the signing secret. 409 when the app has five endpoints or was revoked. 429 after 300 addresses in an hour."
      )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/developer/apps/:app_id/webhooks/:endpoint_id")
      .setPath(EndpointPath)
      .setPayload(Edit)
      .addSuccess(EndpointBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Change a webhook endpoint, or enable it again")
      .annotate(
        OpenApi.Description,
        "Deliveries that were waiting when the endpoint was disabled have failed; enabling it does not send them. A rule that names the old address no longer names an endpoint. 400 for an address of another origin when the endpoint has own headers and `headers` does not name each of them. 409 when the app was revoked. 429 after 300 addresses in an hour, those of new endpoints included."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/developer/apps/:app_id/webhooks/:endpoint_id")
      .setPath(EndpointPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a webhook endpoint")
      .annotate(OpenApi.Description, "Deliveries that wait for the endpoint fail. The delivery log keeps their rows.")
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/rotate-secret")
      .setPath(EndpointPath)
      .addSuccess(WithSecret)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, NEW_SECRET)
      .annotate(OpenApi.Summary, "Replace the signing secret")
      .annotate(
        OpenApi.Description,
        "The old secret stays valid for 24 hours: each delivery carries one signature for each valid secret. In the first 30 seconds, a delivery may carry no signature by the new secret yet. 409 when the app was revoked. 429 after 300 new secrets in a day."
      )
  )
  .add(
    HttpApiEndpoint.post("replaceSecret", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/replace-secret")
      .setPath(EndpointPath)
      .addSuccess(WithSecret)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, NEW_SECRET)
      .annotate(OpenApi.Summary, "Replace the signing secret and end all others at once")
      .annotate(
        OpenApi.Description,
        "For a secret that somebody else may have. Within 30 seconds of this answer, the service signs every delivery with the new secret alone, also deliveries that wait already. During these 30 seconds it may still sign a delivery with an old secret. When your receiver refuses a delivery because it does not know the secret, the service retries the delivery. 409 when the app was revoked. 429 after 300 new secrets in a day."
      )
  )
  .add(
    HttpApiEndpoint.del("endPreviousSecrets", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/previous-secrets")
      .setPath(EndpointPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "End the previous signing secrets at once")
      .annotate(
        OpenApi.Description,
        "The old secrets do not go on for the rest of their 24 hours: within 30 seconds of this answer they sign nothing any more. The newest secret stays. Idempotent."
      )
  )
  .add(
    HttpApiEndpoint.post("test", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/test")
      .annotate(
        WithoutKey,
        "it waits for the receiver's answer, which no transaction may do; a second ping harms nobody"
      )
      .setPath(EndpointPath)
      .setUrlParams(
        Fields.request({
          type: Schema.optionalWith(Event.EventType, { exact: true }).annotations({
            description: "The type of the event; `ping` when left out"
          })
        })
      )
      .addSuccess(TestResult)
      .addError(Errors.NotFound)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, TEST)
      .annotate(OpenApi.Summary, "Send a signed ping or sample now")
      .annotate(
        OpenApi.Description,
        "Answers as soon as the receiver does, after at most five seconds. A disabled endpoint can be tested too; `detail` then says that it is disabled. A sample of another type than `ping` has invented ids and `sample: true` in its body. The delivery log lists the event as a test. It never counts for or against the endpoint. 429 after 30 in an hour, redelivered tests included."
      )
  )
  .middleware(SessionAuth)
  .annotate(RepeatAction, "develop")
  .annotate(OpenApi.Title, "Webhook endpoints")
  .annotate(OpenApi.Description, "For developers: where events are sent")

/**
 * The changes of the headers that a developer added to a webhook endpoint, by the name of the header. Null removes the
 * header.
 */
export const toChanges = (
  headers: ReadonlyArray<{
    readonly name: EndpointHeader.HeaderName
    readonly value: EndpointHeader.HeaderValue | null
  }>
): HeaderChanges => new Map(headers.map(({ name, value }) => [name, value]))
