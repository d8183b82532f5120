import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ofUploads } from "./UploadAnnotations.js"
import { DeviceAuth } from "../security/DeviceAuth.js"
import * as Fields from "../wire/Fields.js"

/**
 * The documentation of an entry of an upload. `OwnJson` reads each entry separately and refuses none, so that one bad
 * reading does not block a phone's queue. (Some bodies are refused as a whole, for example a body with a NUL character
 * in a text.)
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
        ...times.map((name) => [
          name,
          { type: required.includes(name) ? "string" : ["string", "null"], format: "date-time" }
        ]),
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
  "A reading. An unreadable or impossible reading is put aside, and the others are stored",
  ["captured_at", "lat", "lon"],
  ["captured_at"]
)

const Visit = entry(
  "VisitReport",
  "A stay as the operating system reported it. At least one of `arrival` and `departure` has a time; the other may be null or left out",
  ["lat", "lon"],
  ["arrival", "departure"]
)

export const Upload = Fields.request({
  locations: Fields.entries(Location),
  visits: Fields.optional(Fields.entries(Visit)).annotations({ description: "Visits that the phone's system reported" })
}).annotations({ identifier: "Upload" })

const Ingested = Schema.Struct({
  accepted: Schema.Int.annotations({ description: "Locations stored by this upload" }),
  duplicates: Schema.Int.annotations({
    description: "Locations that were stored before, or that the upload has twice"
  }),
  quarantined: Schema.Int.annotations({
    description:
      "Locations and visits that are unreadable, impossible, older than the user keeps history, or from a time of which the user deleted the history. They are counted on the user's page of the device. Do not send them again"
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
        "Readings come in any order, up to 8 MiB. Uploads are idempotent: a repeated upload answers 200 with its locations as duplicates, changes nothing and fires no rule. On 503 send the upload again later."
      )
  )
  .middleware(DeviceAuth)
  .annotateContext(ofUploads)
  .annotate(OpenApi.Title, "Phone")
  .annotate(OpenApi.Description, "Uploads from the user's phones")
