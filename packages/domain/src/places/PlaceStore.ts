import { Context, type Effect, type Option } from "effect"
import type { PlaceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Place } from "./Place.js"

export class PlaceStore extends Context.Tag("@place-access/domain/places/PlaceStore")<
  PlaceStore,
  {
    readonly create: (place: Place) => Effect.Effect<void, StoreError>
    readonly find: (userId: UserId, id: PlaceId) => Effect.Effect<Option.Option<Place>, StoreError>
    /** By label, then id; archived ones included. */
    readonly list: (userId: UserId) => Effect.Effect<ReadonlyArray<Place>, StoreError>
    /** Locks the place and stores what `change` makes of it. None when there is no such place. */
    readonly update: (
      userId: UserId,
      id: PlaceId,
      change: (before: Place) => Place
    ) => Effect.Effect<Option.Option<Place>, StoreError>
  }
>() {}
