import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { HistoryQuery } from "@place-access/domain/fixes"
import { Schema } from "effect"
import { Reason } from "../answers/Paused.js"
import { moment } from "../answers/AnswersApi.js"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { At, NullableAt, paging, QueryAt, request } from "../wire/Fields.js"

/**
 * This schema only documents the parameter: the guard `BearerAuth` checks the purpose before any other parameter is
 * read.
 */
const purpose = {
  purpose: Schema.String.annotations({ description: "Key of a purpose of the app that covers the endpoint's scope" })
}

const stretch = (maxDays: number) => ({
  from: Schema.propertySignature(QueryAt).annotations({ description: "Inclusive" }),
  to: Schema.propertySignature(QueryAt).annotations({
    description: `Exclusive; at most ${maxDays} days of 24 hours after from`
  })
})

export const FixBody = Schema.Struct({
  lat: Schema.Number,
  lon: Schema.Number,
  accuracy_m: Schema.NullOr(Schema.Number),
  captured_at: At
}).annotations({ identifier: "Fix" })

const Day = Schema.Struct({
  date: Schema.String.annotations({ jsonSchema: { type: "string", format: "date" } }),
  fixes: Schema.Int.annotations({ description: "How many readings the day has" }),
  first_at: At,
  last_at: At
}).annotations({ identifier: "Day" })

export const LocationsApi = HttpApiGroup.make("locations")
  .add(
    HttpApiEndpoint.get("latest", "/v1/locations/latest")
      .annotate(RequiredScope, "location.latest.read")
      .setUrlParams(request(purpose))
      .addSuccess(Schema.Struct({ fix: Schema.NullOr(FixBody), ...Reason }))
      .annotate(OpenApi.Summary, "Where the user was last seen")
      .annotate(
        OpenApi.Description,
        "The newest reading, however old or imprecise. Readings of a device that the user left behind do not count. `fix` is null when there is no such reading."
      )
  )
  .add(
    HttpApiEndpoint.get("lookup", "/v1/locations/lookup")
      .annotate(RequiredScope, "location.lookup")
      .setUrlParams(request({ ...purpose, ...moment }))
      .addSuccess(
        Schema.Struct({
          matched: Schema.Boolean.annotations({ description: "Whether there is a reading within `tolerance_s`" }),
          fix: Schema.NullOr(FixBody),
          asOf: NullableAt,
          deltaSeconds: Schema.NullOr(Schema.NonNegativeInt),
          ...Reason
        }).annotations({ identifier: "LocationLookup" })
      )
      .annotate(OpenApi.Summary, "Where the user was at a moment")
      .annotate(OpenApi.Description, "Based on the reading nearest in time, earlier or later, within `tolerance_s`.")
  )
  .add(
    HttpApiEndpoint.get("timerange", "/v1/locations/timerange")
      .annotate(RequiredScope, "location.history.read")
      .setUrlParams(request({ ...purpose, ...stretch(HistoryQuery.MAX_RANGE_DAYS), ...paging(100, 1_000) }))
      .addSuccess(Schema.Struct({ fixes: Schema.Array(FixBody), nextCursor: Schema.NullOr(Schema.String), ...Reason }))
      .annotate(OpenApi.Summary, "Where the user was, oldest first")
      .annotate(OpenApi.Description, "A cursor works only with the same connection, `from` and `to`.")
  )
  .add(
    HttpApiEndpoint.get("days", "/v1/locations/days")
      .annotate(RequiredScope, "location.history.read")
      .setUrlParams(
        request({
          ...purpose,
          ...stretch(HistoryQuery.MAX_LOCAL_DAYS),
          tz: Schema.optionalWith(Schema.String.annotations({ jsonSchema: { type: "string", default: "UTC" } }), {
            default: () => "UTC",
            exact: true
          }).annotations({ description: "The IANA time zone in which days begin and end" })
        })
      )
      .addSuccess(
        Schema.Struct({
          days: Schema.Array(Day).annotations({ description: "The days that have readings, the earliest first" }),
          ...Reason
        })
      )
      .annotate(OpenApi.Summary, "The days with readings, and how many each has")
      .annotate(OpenApi.Description, "Dates are in the time zone `tz`. Days without a reading are left out.")
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Locations")
  .annotate(OpenApi.Description, "Coordinates: scopes of the sensitive tier, and a purpose on every call")
