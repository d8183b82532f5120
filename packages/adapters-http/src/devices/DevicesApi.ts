import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Device } from "@place-access/domain/devices"
import { Fix } from "@place-access/domain/fixes"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const fields = {
  id: Schema.String,
  name: Schema.String,
  format: Device.Format,
  created_at: Fields.At,
  last_seen_at: Fields.NullableAt.annotations({ description: "When it last sent something; null until then" }),
  status: Schema.Literal("nothing_sent", "sending", "put_aside").annotations({
    description: "`put_aside`: nothing of its last upload could be taken; the first entry of put_aside says why"
  }),
  stays_at_home: Schema.Boolean.annotations({
    description: "Said by its owner: it is not carried, and decides nothing while another device does"
  }),
  put_aside: Schema.Array(
    Schema.Struct({
      reason: Fix.QuarantineReason,
      count: Schema.Int.annotations({ description: "So far; what the phone repeats counts again" }),
      last_at: Fields.At,
      explanation: Schema.String.annotations({ description: "For the owner of the phone" })
    }).annotations({ identifier: "PutAside" })
  ).annotations({ description: "What it sent and could not be taken, by reason, the latest first" })
}

export const DeviceBody = Schema.Struct(fields).annotations({ identifier: "Device" })

/** The only answer that has the token. */
export const AddedDevice = Schema.Struct({
  ...fields,
  token: Schema.String.annotations({ description: "Bearer token of the phone; cannot be shown again" }),
  setup: Schema.Struct({
    address: Schema.String,
    qr_text: Schema.String,
    link: Schema.NullOr(Schema.String).annotations({
      description: "Opened on the phone, it sets the app up; null where the app knows no such link"
    }),
    settings: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })).annotations({
      description: "To fill in by hand, by the names that the app has for them"
    }),
    steps: Schema.Array(Schema.String)
  }).annotations({ description: "What to enter, or to scan, on the phone" })
}).annotations({ identifier: "AddedDevice" })

export const DevicesApi = HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/devices")
      .addSuccess(Schema.Struct({ devices: Schema.Array(DeviceBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, "The phones that may upload, oldest first")
  )
  .add(
    HttpApiEndpoint.post("add", "/v1/user/devices")
      .setPayload(Fields.request({ name: Device.Name, format: Device.Format }))
      .addSuccess(AddedDevice, { status: 201 })
      .annotate(OpenApi.Summary, "Add a phone and get its token")
      .annotate(OpenApi.Description, "The token is in this answer and never shown again.")
  )
  .add(
    HttpApiEndpoint.patch("change", "/v1/user/devices/:id")
      .setPath(Schema.Struct({ id: Schema.String.pipe(Schema.brand("DeviceId")) }))
      .setPayload(Fields.request({ stays_at_home: Schema.Boolean }))
      .addSuccess(DeviceBody)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Say whether a device stays at home")
      .annotate(
        OpenApi.Description,
        "What a device that stays at home sends is history: it fires no rule and answers nothing while another device sends. Counts from the next upload on."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/user/devices/:id")
      .setPath(Schema.Struct({ id: Schema.String.pipe(Schema.brand("DeviceId")) }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a phone")
      .annotate(OpenApi.Description, "Its token opens nothing from now on; what it sent stays.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "The phones of the signed-in user")
