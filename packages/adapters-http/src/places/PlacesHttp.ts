import { archivePlace } from "@place-access/domain/connection"
import { createPlace, listPlaces, Place, updatePlace } from "@place-access/domain/places"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import * as RateOfAccount from "../security/RateOfAccount.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import type { PlaceBody } from "./PlacesApi.js"

export const layer = Group.group(Api, "places", (handlers) =>
  handlers
    .handle("list", () =>
      Effect.gen(function* () {
        const places = yield* listPlaces((yield* SignedIn).id)
        return { places: places.map(encode), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "create",
      ({ payload }) =>
        Effect.gen(function* () {
          const { kind, label, lat, lon, radius_m: radiusM = Place.DEFAULT_RADIUS_M } = payload
          return encode(yield* createPlace((yield* SignedIn).id, { label, kind, circle: { lat, lon, radiusM } }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "update",
      ({ path, payload: { radius_m: radiusM, ...edit } }) =>
        Effect.gen(function* () {
          const { id } = yield* SignedIn
          const isMove = [edit.lat, edit.lon, radiusM].some((value) => value !== undefined)
          if (isMove) yield* RateOfAccount.take(RateOfAccount.CREATION, id)
          return encode(yield* updatePlace(id, path.id, { ...edit, radiusM }, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "archive",
      ({ path }) =>
        Effect.gen(function* () {
          yield* archivePlace((yield* SignedIn).id, path.id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

const encode = (place: Place.Place): typeof PlaceBody.Type => ({
  id: place.id,
  label: place.label,
  kind: place.kind,
  lat: place.circle.lat,
  lon: place.circle.lon,
  radius_m: place.circle.radiusM,
  archived_at: place.archivedAt
})
