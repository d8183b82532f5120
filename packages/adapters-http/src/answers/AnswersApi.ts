import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Geometry, Place } from "@place-access/domain/places"
import { PlaceId } from "@place-access/domain/shared"
import { Schema } from "effect"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import * as Errors from "../wire/Errors.js"
import { NullableAt, QueryAt, queryIntOr, request } from "../wire/Fields.js"

const DAY_S = 86_400
const QUARTER_S = 900

const maxAge = {
  max_age_s: queryIntOr(1, DAY_S, QUARTER_S).annotations({
    description: "How old a reading may be that the answer goes by, in seconds"
  })
}

export const moment = {
  at: Schema.propertySignature(QueryAt).annotations({ description: "The moment that is asked about" }),
  tolerance_s: queryIntOr(0, DAY_S, QUARTER_S).annotations({
    description: "How far from the moment a reading may be that the answer goes by, in seconds"
  })
}

/** Spec §2.5. */
export const PlaceRef = Schema.Struct({ id: PlaceId, label: Schema.String, kind: Place.Kind }).annotations({
  identifier: "PlaceRef"
})

const AsOf = NullableAt.annotations({ description: "When the reading was captured that says so; null when none does" })

const CurrentPlace = Schema.Struct({
  state: Schema.Literal("at_place", "elsewhere", "unknown"),
  place: Schema.NullOr(PlaceRef),
  asOf: AsOf
}).annotations({ identifier: "CurrentPlace" })

const Presence = Schema.Literal("yes", "no", "unknown")

const Zone = request({
  lat: Geometry.Latitude,
  lon: Geometry.Longitude,
  radius_m: Geometry.RadiusM,
  label: Place.Label,
  max_age_s: Schema.optionalWith(
    Schema.Int.pipe(
      Schema.between(1, DAY_S, { message: () => `must be a whole number from 1 to ${DAY_S}` }),
      Schema.annotations({ jsonSchema: { type: "integer", minimum: 1, maximum: DAY_S, default: QUARTER_S } })
    ),
    { default: () => QUARTER_S, nullable: true, exact: true }
  )
}).annotations({ identifier: "Zone" })

/** Any text: an id that no place can have is one that no place has, 404. */
const PlaceIdText = Schema.String.pipe(Schema.brand("PlaceId"))

export const AnswersApi = HttpApiGroup.make("answers")
  .add(
    HttpApiEndpoint.get("currentPlace", "/v1/answers/current-place")
      .annotate(RequiredScope, "location.place.current")
      .setUrlParams(request(maxAge))
      .addSuccess(CurrentPlace)
      .annotate(OpenApi.Summary, "Which of the shared places the user is at")
      .annotate(OpenApi.Description, "By the newest reading that can tell. elsewhere: at none of the shared places.")
  )
  .add(
    HttpApiEndpoint.get("places", "/v1/answers/places")
      .annotate(RequiredScope, "any_standard")
      .addSuccess(Schema.Struct({ places_version: Schema.Int, places: Schema.Array(PlaceRef) }))
      .annotate(OpenApi.Summary, "The places that the user shares with the app, by label")
      .annotate(OpenApi.Description, "Open to every standard scope. places_version grows when the set changes.")
  )
  .add(
    HttpApiEndpoint.get("presence", "/v1/answers/places/:place_id/presence")
      .annotate(RequiredScope, "location.place.current")
      .setPath(Schema.Struct({ place_id: PlaceIdText }))
      .setUrlParams(request(maxAge))
      .addSuccess(Schema.Struct({ state: Presence, place: PlaceRef, asOf: AsOf }))
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Whether the user is at one of the shared places")
      .annotate(
        OpenApi.Description,
        "By the newest reading of the last max_age_s seconds that can tell; unknown when none can: too near the edge, or no reading."
      )
  )
  .add(
    HttpApiEndpoint.post("verifyZone", "/v1/answers/verify-zone")
      .annotate(RequiredScope, "location.zone.verify")
      .setPayload(Zone)
      .addSuccess(Schema.Struct({ state: Presence, asOf: AsOf }))
      .addError(Errors.BudgetExceeded)
      .annotate(OpenApi.Summary, "Whether the user is inside a circle of the app's own")
      .annotate(
        OpenApi.Description,
        "The user reads the label in their access log. 20 questions an hour about zones, new zone rules included; over a day as many as do not narrow down where the user is. Asking about the same circle again narrows nothing down."
      )
  )
  .add(
    HttpApiEndpoint.get("lookUpPlace", "/v1/lookup/place")
      .annotate(RequiredScope, "location.place.lookup")
      .setUrlParams(request(moment))
      .addSuccess(
        Schema.Struct({
          place: Schema.NullOr(PlaceRef),
          matched: Schema.Boolean,
          asOf: AsOf,
          deltaSeconds: Schema.NullOr(Schema.NonNegativeInt).annotations({
            description: "Whole seconds between at and asOf, rounded down"
          })
        }).annotations({ identifier: "LookupResult" })
      )
      .annotate(OpenApi.Summary, "Which of the shared places the user was at, at a moment")
      .annotate(OpenApi.Description, "By the reading nearest in time, earlier or later, within tolerance_s.")
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Answers")
  .annotate(OpenApi.Description, "Questions about the places that the user shares; no answer holds a coordinate")
