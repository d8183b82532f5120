import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { DeviceAuth } from "../security/DeviceAuth.js"
import * as Fields from "../wire/Fields.js"

/** Any number at all: an impossible one is put aside and counted, so that one bad reading never stops a phone's queue. */
const MaybeNumber = Fields.optional(Schema.Number)

const Location = Schema.Struct({
  captured_at: Fields.At,
  lat: Schema.Number,
  lon: Schema.Number,
  accuracy_m: MaybeNumber,
  altitude_m: MaybeNumber,
  speed_mps: MaybeNumber,
  course_deg: MaybeNumber
}).annotations({ identifier: "Location" })

const Visit = Schema.Struct({
  arrival: Fields.optional(Fields.At),
  departure: Fields.optional(Fields.At),
  lat: Schema.Number,
  lon: Schema.Number,
  accuracy_m: MaybeNumber
}).annotations({ identifier: "VisitReport", description: "A stay as the operating system reported it" })

export const Upload = Fields.request({
  locations: Schema.Array(Location),
  visits: Fields.optional(Schema.Array(Visit))
}).annotations({ identifier: "Upload" })

const Ingested = Schema.Struct({
  accepted: Schema.Int.annotations({ description: "Locations stored by this upload" }),
  duplicates: Schema.Int.annotations({ description: "Locations that were known, or stood in the upload twice" }),
  quarantined: Schema.Int.annotations({
    description: "Locations and visits that cannot be: stored apart, never evaluated. Do not send them again"
  })
}).annotations({ identifier: "Ingested" })

export const PhoneApi = HttpApiGroup.make("phone")
  .add(
    HttpApiEndpoint.post("upload", "/v1/phone/locations")
      .setPayload(Upload)
      .addSuccess(Ingested)
      .annotate(OpenApi.Summary, "Upload what the phone measured")
      .annotate(
        OpenApi.Description,
        "In any order, up to 8 MiB. An upload sent again changes nothing and is answered 200 like the first. On 503 send it again later."
      )
  )
  .middleware(DeviceAuth)
  .annotate(OpenApi.Title, "Phone")
  .annotate(OpenApi.Description, "For the user's phones")
