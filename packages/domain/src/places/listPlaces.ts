import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Place } from "./Place.js"
import { PlaceStore } from "./PlaceStore.js"

/** All of the user's places by label, archived ones included. */
export const listPlaces = (userId: UserId): Effect.Effect<ReadonlyArray<Place>, StoreError, PlaceStore> =>
  Effect.flatMap(PlaceStore, (places) => places.list(userId)).pipe(Effect.withSpan("listPlaces"))
