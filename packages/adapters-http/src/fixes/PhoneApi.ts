import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { DeviceAuth } from "../security/DeviceAuth.js"
import * as Fields from "../wire/Fields.js"

/**
 * Documentation: `OwnJson` reads each entry by itself and takes whatever it can, so that one bad reading never stops a phone's queue.
 */
const entry = (
  identifier: string,
  description: string,
  required: ReadonlyArray<string>,
  times: ReadonlyArray<string>
) =>
  Schema.Unknown.annotations({
    identifier,
    jsonSchema: {
      type: "object",
      description,
      required,
      properties: Object.fromEntries([
        ...times.map((name) => [name, { type: "string", format: "date-time" }]),
        ...["lat", "lon", "accuracy_m"].map((name) => [name, { type: "number" }]),
        ...(identifier === "Location" ? ["altitude_m", "speed_mps", "course_deg"] : []).map((name) => [
          name,
          { type: "number" }
        ])
      ])
    }
  })

const Location = entry(
  "Location",
  "A reading. One that cannot be read or cannot be is put aside, and the others are taken",
  ["captured_at", "lat", "lon"],
  ["captured_at"]
)

const Visit = entry(
  "VisitReport",
  "A stay as the operating system reported it",
  ["lat", "lon"],
  ["arrival", "departure"]
)

export const Upload = Fields.request({
  locations: Schema.Array(Location),
  visits: Fields.optional(Schema.Array(Visit))
}).annotations({ identifier: "Upload" })

const Ingested = Schema.Struct({
  accepted: Schema.Int.annotations({ description: "Locations stored by this upload" }),
  duplicates: Schema.Int.annotations({ description: "Locations that were known, or stood in the upload twice" }),
  quarantined: Schema.Int.annotations({
    description:
      "Locations and visits that cannot be read, cannot be, or are older than the user keeps history: put aside and counted on the user's page of the device. Do not send them again"
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
        "In any order, up to 8 MiB. An upload sent again is answered 200, changes nothing and fires nothing; its counts say that it was known. On 503 send it again later."
      )
  )
  .middleware(DeviceAuth)
  .annotate(OpenApi.Title, "Phone")
  .annotate(OpenApi.Description, "For the user's phones")
