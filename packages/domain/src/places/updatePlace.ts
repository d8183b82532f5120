import { Effect, Option } from "effect"
import type { PlaceId, UserId } from "../shared/Ids.js"
import { Conflict, NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Place from "./Place.js"
import { PlaceStore } from "./PlaceStore.js"

/**
 * Renames, moves or resizes a place. Apps read the new label at once; a moved place re-seeds the rules on it. `Conflict` when
 * it is archived: past visits keep what it was.
 */
export const updatePlace = (
  userId: UserId,
  id: PlaceId,
  edit: Place.Edit
): Effect.Effect<Place.Place, Conflict | NotFound | StoreError, PlaceStore> =>
  Effect.gen(function* () {
    const place = yield* (yield* PlaceStore).update(userId, id, (before) =>
      before.archivedAt === null ? Place.edited(before, edit) : before
    )
    if (Option.isNone(place)) return yield* new NotFound({ what: "place" })
    if (place.value.archivedAt !== null) return yield* new Conflict({ reason: "an archived place cannot be changed" })
    return place.value
  }).pipe(Effect.withSpan("updatePlace"))
