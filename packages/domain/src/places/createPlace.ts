import { Effect } from "effect"
import * as Entropy from "../shared/Entropy.js"
import { PlaceId, type UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Place from "./Place.js"
import { PlaceStore } from "./PlaceStore.js"

/** A new place of the user's, shared with nobody yet. */
export const createPlace = (
  userId: UserId,
  draft: Place.Draft
): Effect.Effect<Place.Place, StoreError, PlaceStore | Entropy.Entropy> =>
  Effect.gen(function* () {
    const id = PlaceId.make(yield* Entropy.id("plc"))
    const place = Place.make(userId, id, draft, yield* Timestamp.now)
    yield* (yield* PlaceStore).create(place)
    return place
  }).pipe(Effect.withSpan("createPlace"))
