import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import * as Place from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import * as VisiblePlaces from "./VisiblePlaces.js"

export interface SharedPlaces {
  readonly version: number
  /** By label, then id. */
  readonly places: ReadonlyArray<Place.PlaceRef>
}

/** The places that the app may ask about, with the version of the set (Spec §4.5). */
export const listSharedPlaces = (
  connection: Pick<Connection, "userId" | "places" | "placesVersion">
): Effect.Effect<SharedPlaces, StoreError, PlaceStore> =>
  Effect.gen(function* () {
    const own = yield* (yield* PlaceStore).list(connection.userId)
    return { version: connection.placesVersion, places: VisiblePlaces.current(connection, own).map(Place.ref) }
  }).pipe(Telemetry.span("listSharedPlaces"))
