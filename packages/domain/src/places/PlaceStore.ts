import { Context, type Effect, type Option } from "effect"
import type { PlaceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Place } from "./Place.js"
import type { Shape } from "./Shape.js"

/** Users' places. What is archived stays, for their history. */
export class PlaceStore extends Context.Tag("@place-access/domain/places/PlaceStore")<
  PlaceStore,
  {
    /** With its first shape, valid from ever; its stays are due from the user's whole history. */
    readonly create: (place: Place) => Effect.Effect<void, StoreError>
    /** None when there is none, or it is another user's. */
    readonly find: (userId: UserId, id: PlaceId) => Effect.Effect<Option.Option<Place>, StoreError>
    /** By label, compared by code points (not by UTF-16 units, as `<` does), then id; archived ones included. */
    readonly list: (userId: UserId) => Effect.Effect<ReadonlyArray<Place>, StoreError>
    /** Every shape that the user's places ever had, by place and version. */
    readonly shapes: (userId: UserId) => Effect.Effect<ReadonlyArray<Shape>, StoreError>
    /**
     * Locks the place, reads the clock and stores what `change` makes of the place. A new geometry version starts a new shape,
     * valid from then. After that, and after archiving, the user's stays are due again from that moment. None when there is
     * no such place.
     */
    readonly update: (
      userId: UserId,
      id: PlaceId,
      change: (before: Place, now: Timestamp) => Place
    ) => Effect.Effect<Option.Option<Place>, StoreError>
  }
>() {}
