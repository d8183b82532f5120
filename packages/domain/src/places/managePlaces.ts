import { Option } from "effect"
import * as AccountLimits from "../quotas/AccountLimits.js"
import {
  Conflict,
  Entropy,
  NotFound,
  OUTDATED_FORM,
  PlaceId,
  program,
  type ShownState,
  Timestamp,
  type UserId
} from "../shared/index.js"
import * as Place from "./Place.js"
import { PlaceStore } from "./PlaceStore.js"

/** The user's places, archived places included, ordered by label. */
export const listPlaces = program("listPlaces", function* (userId: UserId) {
  return yield* (yield* PlaceStore).list(userId)
})

/**
 * Creates a place. No app sees the place until the user shares it. Fails with `Conflict` when the user already has
 * `AccountLimits.PLACES.most` places that are not archived.
 */
export const createPlace = program("createPlace", function* (userId: UserId, draft: Place.PlaceDraft) {
  const id = PlaceId.make(yield* Entropy.id("plc"))
  const place = Place.make(userId, id, draft, yield* Timestamp.now)
  if (!(yield* (yield* PlaceStore).create(place))) return yield* new Conflict({ reason: AccountLimits.PLACES.refusal })
  return place
})

/**
 * Changes the label, kind or circle of a place. When the circle changes, each rule about the place forgets whether the
 * user is inside or outside. Fails with `NotFound` for another user's place. Fails with `Conflict` for an archived
 * place, and for a form that showed another state (`shown`, decision places-2).
 */
export const updatePlace = program(
  "updatePlace",
  function* (userId: UserId, id: PlaceId, edit: Place.PlaceEdit, shown: ShownState<Place.ShownPlace>) {
    let isOutdated = false
    const place = yield* (yield* PlaceStore).update(userId, id, (before) => {
      isOutdated = Place.isOutdated(before, edit, shown)
      return before.archivedAt === null && !isOutdated ? Place.edited(before, edit) : before
    })
    if (Option.isNone(place)) return yield* new NotFound({ what: "place" })
    if (place.value.archivedAt !== null) return yield* new Conflict({ reason: "an archived place cannot be changed" })
    if (isOutdated) return yield* new Conflict({ reason: OUTDATED_FORM })
    return place.value
  }
)
