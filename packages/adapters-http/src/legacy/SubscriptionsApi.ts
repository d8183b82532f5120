import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { Receiver } from "@place-access/domain/legacy"
import { Schema } from "effect"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const Subscription = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  secret: Schema.String.annotations({ description: "The signing secret; it is not shown again" }),
  created_at: Fields.At
}).annotations({ identifier: "Subscription" })

/** What an address must be is checked with the name look-up, by the program. */
const NewSubscription = Fields.request({
  url: Schema.String.annotations({ jsonSchema: { type: "string", maxLength: EndpointUrl.MAX_LENGTH } })
})

const INSTEAD =
  "Deprecated. Register a webhook endpoint that is subscribed to rule.fired on the app; it gets the events of every connection, is tried for a day and has a delivery log. Then remove the subscription; meanwhile verify each delivery against the secret of its origin, and deduplicate on event_id."

export const SubscriptionsApi = HttpApiGroup.make("subscriptions")
  .add(
    HttpApiEndpoint.post("create", "/v1/subscriptions")
      .setPayload(NewSubscription)
      .addSuccess(Subscription, { status: 201 })
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Have the events of one connection's rules sent to an address")
      .annotate(
        OpenApi.Description,
        `${INSTEAD} It gets what place and zone rules fire that name no webhook_url, at most three times: at once, after 30 seconds, after 5 more minutes. What waits is lost when the worker restarts. The body carries subscription_id in place of app_id and endpoint_id. 409 when the connection has ${Receiver.MAX_PER_CONNECTION}.`
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/subscriptions/:id")
      // Any text: an id that cannot exist is one that does not exist, 404.
      .setPath(Schema.Struct({ id: Schema.String.pipe(Schema.brand("SubscriptionId")) }))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a subscription of the connection")
      .annotate(OpenApi.Description, "No more events; those that wait are not sent. 404 the second time.")
  )
  .middleware(BearerAuth)
  .annotateEndpoints(RequiredScope, "any_standard")
  .annotateEndpoints(OpenApi.Deprecated, true)
  .annotate(OpenApi.Title, "Subscriptions")
  .annotate(OpenApi.Description, "From before apps had webhook endpoints: deprecated, and still at work")
