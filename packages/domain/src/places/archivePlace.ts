import { Effect, Option } from "effect"
import type { PlaceId, UserId } from "../shared/Ids.js"
import { NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Place from "./Place.js"
import { PlaceStore } from "./PlaceStore.js"

/** The place stops matching; past visits keep its label (Spec §4.5, visits rule 5). Idempotent. */
export const archivePlace = (userId: UserId, id: PlaceId): Effect.Effect<void, NotFound | StoreError, PlaceStore> =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const place = yield* (yield* PlaceStore).update(userId, id, (before) => Place.archived(before, now))
    if (Option.isNone(place)) return yield* new NotFound({ what: "place" })
  }).pipe(Effect.withSpan("archivePlace"))
