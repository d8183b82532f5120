import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Event } from "@place-access/domain/events"
import { Listener } from "@place-access/domain/listeners"
import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const NewListener = Fields.request({
  /** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
  endpoint_id: Fields.optional(Schema.String.pipe(Schema.brand("EndpointId"))).annotations({
    description: "The endpoint whose events to receive. Left out: the stream is a receiver with its own secret"
  }),
  events: Fields.optional(Fields.listOf(Event.Subscribable, Event.SUBSCRIBABLE.length)).annotations({
    description: "Empty or left out: every event. Not together with `endpoint_id`, as the endpoint has its own list"
  })
}).annotations({ identifier: "Listen" })

export const CONTENT_TYPE = "text/event-stream"

const Messages = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: CONTENT_TYPE })
).annotations({ identifier: "ListenMessages", description: "Server-sent events; data is one line of JSON" })

export const ListenersApi = HttpApiGroup.make("listeners")
  .add(
    HttpApiEndpoint.post("listen", "/v1/developer/apps/:app_id/listen")
      .annotate(WithoutKey, "the answer is a stream")
      .setPath(AppPath)
      .setPayload(NewListener)
      .addSuccess(Messages)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Receive the app's events over a stream, without a public address")
      .annotate(
        OpenApi.Description,
        `The stream stays open. Its first message, \`ready\`, has \`listener_id\`, \`app_id\`, \`endpoint_id\` (the same as in the body of each event), \`events\`, \`heartbeat_s\` and \`secret\`. \`secret\` is null when the request names an endpoint: the events are then signed with every valid secret of this endpoint. After \`ready\` the stream has an \`event\` for each event, with the \`headers\` and the \`body\` that a webhook would have, and a comment at least every ${Listener.HEARTBEAT / Timestamp.SECOND} seconds. When more than ${Listener.MAX_WAITING} events wait, the oldest are left out, and \`dropped\` has their \`count\`. When the service closes the stream, it sends \`end\` with a \`reason\`: \`signed_out\`, \`app_gone\`, \`endpoint_gone\`, \`expired\`, \`stopping\` or \`unavailable\`. An event that happens while nobody listens is not sent later, and no event is tried again. An event comes twice, with the same \`event_id\`, only when a worker fails or loses its lease. The delivery log does not list what was sent to a listener. 409 when ${Listener.MAX_PER_APP} listen to the app already, and for an app that was revoked.`
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Listeners")
  .annotate(OpenApi.Description, "For developers: events on a machine without a public address (`npm run listen`)")
