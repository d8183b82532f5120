import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ofUploads } from "./UploadAnnotations.js"
import { OsmAndAuth, OverlandAuth, OwnTracksAuth } from "../security/DeviceAuth.js"
import * as Errors from "../wire/Errors.js"

/**
 * The schemas of this file document the bodies of apps that were made for other servers. The modules `Overland`,
 * `OwnTracks` and `OsmAnd` read these bodies, and refuse no reading.
 */

const OverlandBatch = Schema.Struct({
  locations: Schema.Array(Schema.Unknown).annotations({ description: "GeoJSON features, as Overland makes them" })
}).annotations({ identifier: "OverlandBatch" })

const OverlandAnswer = Schema.Union(
  Schema.Struct({
    result: Schema.Literal("ok"),
    set: Schema.optional(
      Schema.Struct({ main: Schema.Struct({ visit_tracking: Schema.Literal(true) }) }).annotations({
        description:
          "Switches visits on in the app. Sent as long as an app may read the user's visits and the phone has not reported a visit"
      })
    )
  }),
  Schema.Struct({ error: Schema.String.annotations({ description: "The app shows this text and keeps the batch" }) })
).annotations({ identifier: "OverlandAnswer" })

const OwnTracksMessage = Schema.Struct({ _type: Schema.String }).annotations({
  identifier: "OwnTracksMessage",
  jsonSchema: {
    type: "object",
    description: "Any message of OwnTracks. Only a `location` is stored. The body may be empty",
    required: ["_type"],
    properties: {
      _type: { type: "string" },
      tst: { type: "integer", description: "When it was measured, in unix seconds" },
      lat: { type: "number" },
      lon: { type: "number" },
      acc: { type: "number", description: "Accuracy in metres" }
    }
  }
})

const osmAndFields = <A extends string | ReadonlyArray<string>>(text: Schema.Schema<A>) =>
  Schema.Struct({
    id: field(text, "The token, unless a header has it. `deviceid` and `device_id` are read too"),
    timestamp: field(text, "When it was measured: seconds or milliseconds since 1970, or ISO 8601"),
    lat: field(text, "Degrees north"),
    lon: field(text, "Degrees east"),
    speed: field(text, "Knots"),
    speed_mps: field(text, "Metres a second"),
    bearing: field(text, "Degrees from north, clockwise"),
    altitude: field(text, "Metres"),
    accuracy: field(text, "Metres"),
    time: field(text, "As `timestamp`, where that is left out (GPSLogger)"),
    spd: field(text, "As `speed_mps` (GPSLogger)"),
    dir: field(text, "As `bearing` (GPSLogger)"),
    alt: field(text, "As `altitude` (GPSLogger)"),
    acc: field(text, "As `accuracy` (GPSLogger)")
  })

const field = <A extends string | ReadonlyArray<string>>(text: Schema.Schema<A>, description: string) =>
  Schema.optional(text).annotations({ description })

const OsmAndForm = osmAndFields(Schema.String).annotations({ identifier: "OsmAndForm" })

/**
 * Accepts a parameter that is repeated in the query. The query is decoded even when no handler reads it. Without this
 * schema, an upload whose query repeats a parameter would be refused.
 */
const QueryText = Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
  jsonSchema: { type: "string" }
})

const OsmAndQuery = osmAndFields(QueryText)

/** Query parameters with the device token, for apps that cannot send the token in a header. */
const TokenQuery = Schema.Struct({
  api_key: field(QueryText, "The token, unless a header has it. Prefer a header: proxies and apps may log addresses"),
  token: field(QueryText, "Another name for `api_key`")
})

const TraccarClientMessage = Schema.Struct({ device_id: Schema.String, location: Schema.Unknown }).annotations({
  identifier: "TraccarClientMessage",
  description: "As Traccar Client posts it"
})

const FORM = { kind: "UrlParams", contentType: "application/x-www-form-urlencoded" } as const

const NEVER_LOST =
  "Unreadable and impossible readings are put aside and never block a phone's queue. Uploads are idempotent. On 503 the phone retries later."

export const PhoneAppsApi = HttpApiGroup.make("phoneApps")
  .add(
    HttpApiEndpoint.post("overland", "/v1/phone/overland")
      .setUrlParams(TokenQuery)
      .setPayload(OverlandBatch)
      .addSuccess(OverlandAnswer)
      .middleware(OverlandAuth)
      .annotate(OpenApi.Summary, "Upload from Overland")
      .annotate(OpenApi.Description, `Locations and visits. ${NEVER_LOST}`)
  )
  .add(
    HttpApiEndpoint.post("owntracks", "/v1/phone/owntracks")
      .setUrlParams(TokenQuery)
      .setPayload(OwnTracksMessage)
      .addSuccess(Schema.Tuple())
      .middleware(OwnTracksAuth)
      .annotate(OpenApi.Summary, "Upload from OwnTracks")
      .annotate(
        OpenApi.Description,
        `A wrong password answers 503 too, because the app deletes its readings after a 401. Credentials that are not encoded are taken as they are, or answered 401. ${NEVER_LOST}`
      )
  )
  .add(
    HttpApiEndpoint.get("osmandQuery", "/v1/phone/osmand")
      .setUrlParams(OsmAndQuery)
      .addSuccess(HttpApiSchema.Empty(200))
      .middleware(OsmAndAuth)
      .annotate(OpenApi.Summary, "Upload from OsmAnd and others that fill in an address")
      .annotate(OpenApi.Description, NEVER_LOST)
  )
  .add(
    HttpApiEndpoint.post("osmand", "/v1/phone/osmand")
      .setPayload(Schema.Union(TraccarClientMessage, HttpApiSchema.withEncoding(OsmAndForm, FORM)))
      .addSuccess(HttpApiSchema.Empty(200))
      .middleware(OsmAndAuth)
      .annotate(OpenApi.Summary, "Upload from Traccar Client, GPSLogger and others")
      .annotate(OpenApi.Description, `The fields may stand in the query too. ${NEVER_LOST}`)
  )
  .addError(Errors.Unavailable)
  .annotateContext(ofUploads)
  .annotate(OpenApi.Title, "Phone apps")
  .annotate(OpenApi.Description, "For apps that are made for other servers. Each gets the answers that it expects")
