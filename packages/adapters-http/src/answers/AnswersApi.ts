import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Coordinates, Place } from "@place-access/domain/places"
import { PlaceId } from "@place-access/domain/shared"
import { Schema } from "effect"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { WithoutKey } from "../idempotency/WithoutKey.js"
import { Reason } from "./Paused.js"
import * as Errors from "../wire/Errors.js"
import { NullableAt, QueryAt, queryIntOr, request } from "../wire/Fields.js"

const DAY_S = 86_400
const QUARTER_S = 900

const maxAge = {
  max_age_s: queryIntOr(1, DAY_S, QUARTER_S).annotations({
    description: "The greatest age of the reading that the answer is based on, in seconds"
  })
}

export const moment = {
  at: Schema.propertySignature(QueryAt).annotations({ description: "The moment in question" }),
  tolerance_s: queryIntOr(0, DAY_S, QUARTER_S).annotations({
    description: "How far before or after the moment the reading may lie that the answer is based on, in seconds"
  })
}

/** The place in an answer: its id, its label and its kind (Spec §2.5). */
export const PlaceRef = Schema.Struct({ id: PlaceId, label: Schema.String, kind: Place.PlaceKind }).annotations({
  identifier: "PlaceRef"
})

const AsOf = NullableAt.annotations({
  description: "When the phone captured the reading that decided the answer; null when no reading decided"
})

const CurrentPlace = Schema.Struct({
  state: Schema.Literal("at_place", "elsewhere", "unknown").annotations({
    description:
      "`at_place`: the user is at `place`; `elsewhere`: at none of the shared places; `unknown`: the service cannot say"
  }),
  place: Schema.NullOr(PlaceRef),
  asOf: AsOf,
  ...Reason
}).annotations({ identifier: "CurrentPlace" })

const Presence = Schema.Literal("yes", "no", "unknown").annotations({
  description: "Whether the user is inside the circle; `unknown`: the service cannot say"
})

const Zone = request({
  lat: Coordinates.Latitude,
  lon: Coordinates.Longitude,
  radius_m: Coordinates.RadiusM,
  label: Place.Label,
  max_age_s: Schema.optionalWith(
    Schema.Int.pipe(
      Schema.between(1, DAY_S, { message: () => `must be a whole number from 1 to ${DAY_S}` }),
      Schema.annotations({ jsonSchema: { type: "integer", minimum: 1, maximum: DAY_S, default: QUARTER_S } })
    ),
    { default: () => QUARTER_S, nullable: true, exact: true }
  )
}).annotations({ identifier: "Zone" })

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const PlaceIdText = Schema.String.pipe(Schema.brand("PlaceId"))

export const AnswersApi = HttpApiGroup.make("answers")
  .add(
    HttpApiEndpoint.get("currentPlace", "/v1/answers/current-place")
      .annotate(RequiredScope, "location.place.current")
      .setUrlParams(request(maxAge))
      .addSuccess(CurrentPlace)
      .annotate(OpenApi.Summary, "Which of the shared places the user is at")
      .annotate(
        OpenApi.Description,
        "Based on the newest reading of the last `max_age_s` seconds that is clearly inside a shared place or clearly outside all of them. `elsewhere`: at none of the shared places. `unknown`: there is no such reading, or the user has paused the app."
      )
  )
  .add(
    HttpApiEndpoint.get("places", "/v1/answers/places")
      .annotate(RequiredScope, "any_standard")
      .addSuccess(
        Schema.Struct({
          places_version: Schema.Int,
          places: Schema.Array(PlaceRef).annotations({ description: "The places that the user shares with the app" })
        }).annotations({
          identifier: "SharedPlaces"
        })
      )
      .annotate(OpenApi.Summary, "The places that the user shares with the app, by label")
      .annotate(OpenApi.Description, "Any standard scope suffices. `places_version` grows when the set changes.")
  )
  .add(
    HttpApiEndpoint.get("presence", "/v1/answers/places/:place_id/presence")
      .annotate(RequiredScope, "location.place.current")
      .setPath(Schema.Struct({ place_id: PlaceIdText }))
      .setUrlParams(request(maxAge))
      .addSuccess(
        Schema.Struct({ state: Presence, place: PlaceRef, asOf: AsOf, ...Reason }).annotations({
          identifier: "PlacePresence"
        })
      )
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Whether the user is at one of the shared places")
      .annotate(
        OpenApi.Description,
        "Based on the newest decisive reading of the last `max_age_s` seconds. `unknown` when there is no reading, when every reading is too near the edge, and while the user has paused the app. 404 for a place that does not exist, is archived or is not shared with the app."
      )
  )
  .add(
    HttpApiEndpoint.post("verifyZone", "/v1/answers/verify-zone")
      .annotate(WithoutKey, "it only asks, and makes nothing")
      .annotate(RequiredScope, "location.zone.verify")
      .setPayload(Zone)
      .addSuccess(Schema.Struct({ state: Presence, asOf: AsOf, ...Reason }).annotations({ identifier: "ZonePresence" }))
      .addError(Errors.BudgetExceeded)
      .annotate(OpenApi.Summary, "Whether the user is inside a circle that the app chooses")
      .annotate(
        OpenApi.Description,
        "The user's access log shows the label. A reading that is less accurate than 200 m decides nothing about a zone: the next older reading decides, or the answer is unknown. The app may ask 20 questions about zones in an hour, new zone rules included. In 24 hours it may ask about ten circles with a radius of 950 m in one town; about more that are smaller, or fewer that are larger. The same circle counts once in 24 hours."
      )
  )
  .add(
    HttpApiEndpoint.get("lookUpPlace", "/v1/lookup/place")
      .annotate(RequiredScope, "location.place.lookup")
      .setUrlParams(request(moment))
      .addSuccess(
        Schema.Struct({
          place: Schema.NullOr(PlaceRef),
          matched: Schema.Boolean.annotations({
            description:
              "Whether the user was at one of the shared places. Also false when there is no reading within `tolerance_s`: then `asOf` is null"
          }),
          asOf: AsOf,
          deltaSeconds: Schema.NullOr(Schema.NonNegativeInt).annotations({
            description: "Whole seconds between `at` and `asOf`, rounded down"
          }),
          ...Reason
        }).annotations({ identifier: "LookupResult" })
      )
      .annotate(OpenApi.Summary, "Which of the shared places the user was at, at a moment")
      .annotate(
        OpenApi.Description,
        "Based on the reading nearest in time, earlier or later, within `tolerance_s`, however imprecise it is. Only places count that the user shares with the app now."
      )
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Answers")
  .annotate(OpenApi.Description, "Questions about the places that the user shares; no answer has a coordinate")
