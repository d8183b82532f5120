import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Receiver } from "@place-access/domain/legacy"
import { Schema } from "effect"
import { LooksUpUrl } from "../idempotency/WithoutKey.js"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

// Every answer of the routes in this file says that the routes are deprecated (decision legacy-6).

const Subscription = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  secret: Schema.String.annotations({ description: "The signing secret. It is not shown again" }),
  created_at: Fields.At
}).annotations({ identifier: "Subscription" })

/** This schema does not check `url`. The program behind the endpoint checks `url`, and looks up the host name in it. */
const NewSubscription = Fields.request({
  url: Schema.String.annotations({ jsonSchema: { type: "string", maxLength: EndpointUrl.MAX_LENGTH } })
})

const INSTEAD =
  "Deprecated. Register a webhook endpoint of the app that subscribes to `rule.fired`: it gets the events of every connection, with retries for a day and a delivery log. Then remove the subscription. Until then, verify each delivery with the secret of the subscription or endpoint that it came from, and deduplicate on `event_id`."

export const SubscriptionsApi = HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.post("create", "/v1/subscriptions")
      .annotate(LooksUpUrl, true)
      .setPayload(NewSubscription)
      .addSuccess(Subscription, { status: 201 })
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Have the events of one connection's rules sent to an address")
      .annotate(
        OpenApi.Description,
        `${INSTEAD} The address gets the events of place and zone rules that name no \`webhook_url\`. The service makes at most three attempts: at once, after 30 seconds, and after 5 more minutes. Waiting attempts are lost when the worker restarts. The body has \`subscription_id\` in place of \`app_id\` and \`endpoint_id\`. 409 when the connection has ${Receiver.MAX_PER_CONNECTION}.`
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/subscriptions/:id")
      // Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400.
      .setPath(Schema.Struct({ id: Schema.String.pipe(Schema.brand("SubscriptionId")) }))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a subscription of the connection")
      .annotate(OpenApi.Description, "Stops all events; events that wait are not sent. A second call answers 404.")
  )
  .middleware(BearerAuth)
  .annotateEndpoints(RequiredScope, "any_standard")
  .annotateEndpoints(OpenApi.Deprecated, true)
  .annotate(OpenApi.Title, "Subscriptions")
  .annotate(OpenApi.Description, "Webhooks from before apps had endpoints. Deprecated; they still work")
