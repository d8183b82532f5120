import { Context, type Option } from "effect"
import type { PlaceId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { Place } from "./Place.js"
import type { Shape } from "./Shape.js"

/** Users' places. Archived places are kept, because past visits show them. */
export class PlaceStore extends Context.Tag("@place-access/domain/places/PlaceStore")<
  PlaceStore,
  {
    /**
     * Stores the place, under one lock of the user. Its first shape holds for all of the past: stays are derived from
     * the whole history. False when the user has `AccountLimits.PLACES` places that are not archived.
     */
    readonly create: (place: Place) => StoreEffect<boolean>
    /** None when the user has no place of this id. */
    readonly find: (userId: UserId, id: PlaceId) => StoreEffect<Option.Option<Place>>
    /** By label in code point order (not UTF-16's, as `<` compares), then by id; archived places included. */
    readonly list: (userId: UserId) => StoreEffect<ReadonlyArray<Place>>
    /** Every shape that the user's places ever had, by place and version. */
    readonly shapes: (userId: UserId) => StoreEffect<ReadonlyArray<Shape>>
    /**
     * Locks the place and stores the result of `change`. A new geometry version begins a new shape now; then, and after
     * archiving, stays are derived again from now on. None when the user has no such place.
     */
    readonly update: (
      userId: UserId,
      id: PlaceId,
      change: (before: Place, now: Timestamp.Timestamp) => Place
    ) => StoreEffect<Option.Option<Place>>
  }
>() {}
