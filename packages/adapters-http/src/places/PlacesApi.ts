import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Geometry, Place } from "@place-access/domain/places"
import { Schema } from "effect"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import * as Fields from "../wire/Fields.js"

/** Any text: an id that cannot exist is one that does not exist, 404. */
const PlacePath = Schema.Struct({ id: Schema.String.pipe(Schema.brand("PlaceId")) })

/** Decisions §10: the user's own view, the only one with coordinates. */
export const PlaceBody = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  kind: Place.Kind,
  lat: Schema.Number,
  lon: Schema.Number,
  radius_m: Schema.Number,
  archived_at: Fields.NullableAt
}).annotations({ identifier: "Place" })

const NewPlace = Fields.request({
  label: Place.Label,
  kind: Place.Kind,
  lat: Geometry.Latitude,
  lon: Geometry.Longitude,
  radius_m: Fields.optional(Geometry.RadiusM).annotations({
    description: `Metres; ${Place.DEFAULT_RADIUS_M} when left out`
  })
})

const Edit = Fields.request({
  label: Fields.optional(Place.Label),
  kind: Fields.optional(Place.Kind),
  lat: Fields.optional(Geometry.Latitude),
  lon: Fields.optional(Geometry.Longitude),
  radius_m: Fields.optional(Geometry.RadiusM)
})

export const PlacesApi = HttpApiGroup.make("places")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/places")
      .addSuccess(Schema.Struct({ places: Schema.Array(PlaceBody), nextCursor: Schema.Null }))
      .annotate(OpenApi.Summary, "One's own places by label, archived ones included")
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/user/places")
      .setPayload(NewPlace)
      .addSuccess(PlaceBody, { status: 201 })
      .annotate(OpenApi.Summary, "Make a place")
      .annotate(OpenApi.Description, "A circle on the map with a name. Nobody sees it until it is shared with an app.")
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/user/places/:id")
      .setPath(PlacePath)
      .setPayload(Edit)
      .addSuccess(PlaceBody)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
      .annotate(OpenApi.Summary, "Rename, move or resize a place")
      .annotate(
        OpenApi.Description,
        "Rules on a moved or resized place start anew: the next reading only establishes where the user is. 409 when archived."
      )
  )
  .add(
    HttpApiEndpoint.del("archive", "/v1/user/places/:id")
      .setPath(PlacePath)
      .addError(Errors.NotFound)
      .annotate(OpenApi.Summary, "Archive a place")
      .annotate(OpenApi.Description, "It stops matching and its rules stop; past visits keep its label. Idempotent.")
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Places")
  .annotate(OpenApi.Description, "The places of the signed-in user")
