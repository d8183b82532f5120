import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { EndpointUrl, WebhookEndpoint } from "@place-access/domain/endpoints"
import { WebhookSender } from "@place-access/domain/deliveries"
import { Event } from "@place-access/domain/events"
import { Effect, ParseResult, Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Any text: an id that cannot exist is one that does not exist, 404. */
const EndpointPath = Schema.Struct({
  ...AppPath.fields,
  endpoint_id: Schema.String.pipe(Schema.brand("EndpointId"))
})

export const EndpointBody = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Event.Subscribable).annotations({
    description: "Empty: every event, types added later included"
  }),
  description: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  disabled_at: Fields.NullableAt,
  created_at: Fields.At
}).annotations({ identifier: "WebhookEndpoint" })

const WithSecret = Schema.Struct({
  ...EndpointBody.fields,
  secret: Schema.String.annotations({ description: "The signing secret; it is not shown again" })
}).annotations({ identifier: "WebhookEndpointWithSecret" })

const TestResult = Schema.Struct({
  delivered: Schema.Boolean,
  status: Schema.NullOr(Schema.Int).annotations({ description: "What the receiver answered; null when it did not" }),
  detail: Schema.String
}).annotations({ identifier: "WebhookTest" })

export const toBody = (endpoint: WebhookEndpoint.WebhookEndpoint): typeof EndpointBody.Type => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  enabled: WebhookEndpoint.isEnabled(endpoint),
  disabled_at: endpoint.disabledAt,
  created_at: endpoint.createdAt
})

/**
 * What is wrong with an address as it is written is told with the faults of the other fields. Its name is looked up by the
 * program, once all is well.
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

const NewEndpoint = Fields.request({
  url: Url,
  events: Fields.optional(Schema.Array(Event.Subscribable)),
  description: Fields.optional(WebhookEndpoint.Description)
})

const Enabled = Schema.Boolean.pipe(
  Schema.filter((enabled): enabled is true => enabled, {
    message: () => "can only be set to true: endpoints are disabled by the service, or removed"
  })
)

const Edit = Fields.request({
  url: Fields.optional(Url),
  events: Fields.optional(Schema.Array(Event.Subscribable)),
  /** Null takes it away. */
  description: Schema.optionalWith(Schema.NullOr(WebhookEndpoint.Description), { exact: true }),
  enabled: Fields.optional(Enabled)
})

export const EndpointsApi = HttpApiGroup.make("endpoints")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/webhooks")
      .setPath(AppPath)
      .addSuccess(Schema.Struct({ webhooks: Schema.Array(EndpointBody), nextCursor: Schema.Null }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "The app's webhook endpoints, oldest first")
      .annotate(OpenApi.Description, `Never their secrets. All on one page: at most ${WebhookEndpoint.MAX_PER_APP}.`)
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/developer/apps/:app_id/webhooks")
      .setPath(AppPath)
      .setPayload(NewEndpoint)
      .addSuccess(WithSecret, { status: 201 })
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Add a webhook endpoint")
      .annotate(
        OpenApi.Description,
        "An https address with a public host name that resolves to public addresses. The answer shows the signing secret, this once. 409 when the app has five endpoints."
      )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/developer/apps/:app_id/webhooks/:endpoint_id")
      .setPath(EndpointPath)
      .setPayload(Edit)
      .addSuccess(EndpointBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Change a webhook endpoint, or enable it again")
      .annotate(
        OpenApi.Description,
        "Deliveries that waited when it was disabled have failed and do not come back. A rule that names the old address names no endpoint any more."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/developer/apps/:app_id/webhooks/:endpoint_id")
      .setPath(EndpointPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a webhook endpoint")
      .annotate(OpenApi.Description, "What waits to be delivered there fails; the delivery log keeps its rows.")
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/rotate-secret")
      .setPath(EndpointPath)
      .addSuccess(WithSecret)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Replace the signing secret")
      .annotate(OpenApi.Description, "The old secret stays valid for 24 hours: deliveries carry a signature by each.")
  )
  .add(
    HttpApiEndpoint.post("test", "/v1/developer/apps/:app_id/webhooks/:endpoint_id/test")
      .setPath(EndpointPath)
      .addSuccess(TestResult)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Send a signed ping now")
      .annotate(
        OpenApi.Description,
        "Answers when the receiver has, at most five seconds later. Works on a disabled endpoint too, and `detail` then says that it is disabled. Logged as a test; it never counts."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Webhook endpoints")
  .annotate(OpenApi.Description, "For developers: where events are sent")
