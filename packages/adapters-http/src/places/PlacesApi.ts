import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Coordinates, Place } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { Schema } from "effect"
import { CREATION, RateOfAccount } from "../security/RateOfAccount.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Accepts any text as an id, so that a malformed id gets 404, like an unknown id, and not 400. */
const PlacePath = Schema.Struct({ id: Schema.String.pipe(Schema.brand("PlaceId")) })

/** A place as its user reads it. An app reads a place without coordinates (`PlaceRef`, decisions §10). */
export const PlaceBody = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  kind: Place.PlaceKind,
  lat: Schema.Number,
  lon: Schema.Number,
  radius_m: Schema.Number,
  archived_at: Fields.NullableAt
}).annotations({ identifier: "Place" })

const NewPlace = Fields.request({
  label: Place.Label,
  kind: Place.PlaceKind,
  lat: Coordinates.Latitude,
  lon: Coordinates.Longitude,
  radius_m: Fields.optional(Coordinates.RadiusM).annotations({
    description: `Metres; ${Place.DEFAULT_RADIUS_M} when left out`
  })
})

const Edit = Fields.request({
  label: Fields.optional(Place.Label),
  kind: Fields.optional(Place.PlaceKind),
  lat: Fields.optional(Coordinates.Latitude),
  lon: Fields.optional(Coordinates.Longitude),
  radius_m: Fields.optional(Coordinates.RadiusM)
})

export const PlacesApi = HttpApiGroup.make("places")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/places")
      .addSuccess(Schema.Struct({ places: Schema.Array(PlaceBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, "The signed-in user's places by label, archived ones included")
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/user/places")
      .setPayload(NewPlace)
      .addSuccess(PlaceBody, { status: 201 })
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(RateOfAccount, CREATION)
      .annotate(OpenApi.Summary, "Create a place")
      .annotate(
        OpenApi.Description,
        `A place is a circle on the map with a name. No app sees it until the user shares it. 409 when the user has ${AccountLimits.PLACES.most} places that are not archived.`
      )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/user/places/:id")
      .setPath(PlacePath)
      .setPayload(Edit)
      .addSuccess(PlaceBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .addError(Errors.RateLimited)
      .annotate(OpenApi.Summary, "Rename, move or resize a place")
      .annotate(
        OpenApi.Description,
        "Rules on a moved or resized place start again: the next reading only establishes where the user is. 409 when the place is archived. A change of the centre or radius counts towards the limit of new places."
      )
  )
  .add(
    HttpApiEndpoint.del("archive", "/v1/user/places/:id")
      .setPath(PlacePath)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Archive a place")
      .annotate(
        OpenApi.Description,
        "The place no longer matches, and its rules stop. Past visits keep its label. Idempotent."
      )
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Places")
  .annotate(OpenApi.Description, "The places of the signed-in user")
