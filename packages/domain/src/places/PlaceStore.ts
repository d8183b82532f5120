import { Context, type Option } from "effect"
import type { PlaceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { Place } from "./Place.js"
import type { Shape } from "./Shape.js"

/** Stores users' places. Archived places are kept, because past visits show them. */
export class PlaceStore extends Context.Tag("@place-access/domain/places/PlaceStore")<
  PlaceStore,
  {
    /**
     * Stores the place under a lock of the user. Returns false when the user has `AccountLimits.PLACES.most` places
     * that are not archived. The place's first shape is valid for all of the past, so stays at the place are derived
     * from the whole history. The version of the user's uploads (`UploadView.version`, `StayView.version`) is raised,
     * so that an upload in progress is evaluated again with the place.
     */
    readonly create: (place: Place) => StoreEffect<boolean>
    /** A place of the user, archived or not. None when the user has no place of this id. */
    readonly find: (userId: UserId, id: PlaceId) => StoreEffect<Option.Option<Place>>
    /**
     * The user's places, archived places included, ordered by label and then by id. Labels are compared by code points.
     * JavaScript's `<` compares UTF-16 units, which is another order.
     */
    readonly list: (userId: UserId) => StoreEffect<ReadonlyArray<Place>>
    /** All present and past shapes of the user's places, ordered by place and version. */
    readonly shapes: (userId: UserId) => StoreEffect<ReadonlyArray<Shape>>
    /**
     * Locks the place and stores the result of `change`. When `change` raised the geometry version, a new shape begins
     * at `now`. When the place got a new shape or was archived, the stays at all places of the user are derived again
     * from `now` on, and the version of the user's uploads is raised, so that an upload in progress is evaluated again.
     * When only the label or kind changed, the stays and the version stay as they are. None when the user has no place
     * with this id.
     */
    readonly update: (
      userId: UserId,
      id: PlaceId,
      change: (before: Place, now: Timestamp.Timestamp) => Place
    ) => StoreEffect<Option.Option<Place>>
  }
>() {}
