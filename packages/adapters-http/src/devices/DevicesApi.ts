import { QuarantineReason } from "@place-access/domain/devices"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Device } from "@place-access/domain/devices"
import { AccountLimits } from "@place-access/domain/quotas"
import { Schema } from "effect"
import { CREATION, RateOfAccount } from "../security/RateOfAccount.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

const fields = {
  id: Schema.String,
  name: Schema.String,
  format: Device.PhoneFormat,
  created_at: Fields.At,
  last_seen_at: Fields.NullableAt.annotations({
    description: "When the phone last sent something new; null if it never did"
  }),
  status: Schema.Literal("nothing_sent", "sending", "put_aside").annotations({
    description: "`put_aside`: nothing of the last upload could be stored; the first entry of `put_aside` says why"
  }),
  stays_at_home: Schema.Boolean.annotations({
    description:
      "Whether the owner marked the device as staying at home. Once another device, which is not marked, has sent something, the readings of a marked device fire no rule and decide no answer"
  }),
  put_aside: Schema.Array(
    Schema.Struct({
      reason: QuarantineReason.annotations({
        description:
          "`unreadable`: no time or position could be read; `out_of_range`, `null_island`: no possible position; `future`, `too_old`: no possible time; `no_stay`: a visit without a time, or one that ends before it begins; `not_kept`: the user keeps no history of that time, or has deleted it"
      }),
      count: Schema.Int.annotations({ description: "How many so far; an entry that the phone repeats counts again" }),
      last_at: Fields.at("When the service last put something aside for this reason"),
      explanation: Schema.String.annotations({ description: "For the owner of the phone" })
    }).annotations({ identifier: "PutAside" })
  ).annotations({ description: "What the phone sent and the service could not store, by reason, the latest first" })
}

export const DeviceBody = Schema.Struct(fields).annotations({ identifier: "Device" })

const setting = {
  name: Schema.String.annotations({ description: "The name of the setting, as the phone's app shows it" }),
  value: Schema.String.annotations({ description: "What to enter there" })
}

/**
 * The answer to the request that adds a phone. The answer contains the phone's token. No later answer contains the
 * token, with one exception: if the phone's app has a set-up link, this link answers once with the token.
 */
export const AddedDevice = Schema.Struct({
  ...fields,
  token: Schema.String.annotations({ description: "The phone's bearer token. It cannot be shown again" }),
  setup: Schema.Struct({
    address: Schema.String,
    qr_text: Schema.String,
    link: Schema.NullOr(Schema.String).annotations({
      description: "A link that sets the app up when it is opened on the phone; null if the app has no such links"
    }),
    settings: Schema.Array(Schema.Struct(setting)).annotations({
      description: "The settings to enter by hand, under the names that the app shows"
    }),
    steps: Schema.Array(Schema.String),
    tuning: Schema.Array(
      Schema.Struct({ ...setting, effect: Schema.String }).annotations({ identifier: "PhoneTuning" })
    ).annotations({
      description:
        "The app's settings that decide how often and how exactly it sends: heartbeat, distance, accuracy. The link sets them where it can. Empty if there are none"
    })
  }).annotations({ description: "What to enter, or to scan, on the phone" })
}).annotations({ identifier: "AddedDevice" })

export const DevicesApi = HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/devices")
      .addSuccess(Schema.Struct({ devices: Schema.Array(DeviceBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, "The phones of the user, oldest first")
  )
  .add(
    HttpApiEndpoint.post("add", "/v1/user/devices")
      .setPayload(Fields.request({ name: Device.DeviceName, format: Device.PhoneFormat }))
      .addSuccess(AddedDevice, { status: 201 })
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, CREATION)
      .annotate(OpenApi.Summary, "Add a phone and get its token")
      .annotate(
        OpenApi.Description,
        `The token is in this answer and never shown again. 409 when the user has ${AccountLimits.DEVICES.most} devices.`
      )
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
        "The readings of a device that stays at home go into the history only: they fire no rule and decide no answer. This begins when another device, which does not stay at home, has sent something. A change takes effect with the next upload."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/v1/user/devices/:id")
      .setPath(Schema.Struct({ id: Schema.String.pipe(Schema.brand("DeviceId")) }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Remove a phone")
      .annotate(OpenApi.Description, "The token stops working at once. What the phone sent stays in the history.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Devices")
  .annotate(OpenApi.Description, "The phones of the signed-in user")
