import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import type { ReadableFlag } from "@place-access/domain/purposes"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Fields from "../wire/Fields.js"

/**
 * The fields of a flag that users and reviewers read. The service sets a flag when an app, for one purpose, asks about
 * a user more than twice as often in a day as the purpose declares.
 */
export const FlagFields = {
  app_id: Schema.String,
  app_name: Schema.String,
  purpose_description: Schema.NullOr(Schema.String).annotations({
    description:
      "The wording of the purpose that was in force at `to`, as in the access log; null when the purpose was deleted together with its app"
  }),
  calls: Schema.Int.annotations({ description: "How many calls were answered from `from` to `to`" }),
  expected_daily_volume: Schema.Int,
  from: Fields.At,
  to: Fields.At
}

export const toFields = (flag: ReadableFlag) => ({
  app_id: flag.appId,
  app_name: flag.appName,
  purpose_description: flag.purposeDescription,
  calls: flag.calls,
  expected_daily_volume: flag.expectedDailyVolume,
  from: flag.from,
  to: flag.to
})

const Flag = Schema.Struct(FlagFields).annotations({ identifier: "VolumeFlag" })

export const VolumeFlagsApi = HttpApiGroup.make("volumeFlags")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/volume-flags")
      .setUrlParams(Fields.request(Fields.paging(100, 500)))
      .addSuccess(Schema.Struct({ flags: Schema.Array(Flag), nextCursor: Schema.NullOr(Schema.String) }))
      .annotate(
        OpenApi.Summary,
        "Apps that asked for the user's exact location much more often than declared, newest first"
      )
      .annotate(
        OpenApi.Description,
        "A flag means more than twice the daily calls that the purpose declares. Reviewers see it too. The calls were answered and are in the access log."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Volume flags")
  .annotate(OpenApi.Description, "Apps that ask for the signed-in user's coordinates more often than declared")
