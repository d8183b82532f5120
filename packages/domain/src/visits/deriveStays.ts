import { Array, Effect } from "effect"
import { PlaceStore } from "../places/PlaceStore.js"
import type { DeviceId, PlaceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Stay from "./Stay.js"
import * as StayProgress from "./StayProgress.js"
import { StayStore } from "./StayStore.js"

export interface Bounds {
  readonly stepsMax: number
  /** Read and derived in one step. */
  readonly fixesAStep: number
  /** New places that are brought up; left out: all. An answer waits for none that it must not tell of. */
  readonly newPlaces?: ReadonlySet<PlaceId> | undefined
}

/**
 * Derives what the device owes, as far as the bounds allow, and tells how many steps it took. Each step is stored by itself and
 * only on what it was computed from; a step that was overtaken by an upload is taken again.
 */
export const deriveStays = (
  userId: UserId,
  deviceId: DeviceId,
  bounds: Bounds
): Effect.Effect<number, StoreError, StayStore | PlaceStore> =>
  Effect.gen(function* () {
    for (let taken = 0; taken < bounds.stepsMax; taken++) {
      if (!(yield* step(userId, deviceId, bounds))) return taken
    }
    return bounds.stepsMax
  }).pipe(Effect.withSpan("deriveStays"))

/** False when there was nothing to do. */
const step = (userId: UserId, deviceId: DeviceId, { fixesAStep, newPlaces }: Bounds) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    // First of all: what is stored after it makes the commit fail.
    const view = yield* store.view(userId, deviceId)
    if (view.progress.sendsVisits) {
      yield* store.forget(userId, deviceId)
      return false
    }
    const places = yield* (yield* PlaceStore).list(userId)
    const next = StayProgress.next(
      view.progress,
      places.map((place) => place.id),
      newPlaces
    )
    if (next === undefined) return false
    const fixes = next.placeIds.size === 0 ? [] : yield* store.fixes(userId, deviceId, next.from, fixesAStep)
    const last = fixes.length < fixesAStep ? undefined : fixes.at(-1)
    const open = new Map((yield* store.openAt(userId, deviceId, next.from)).map((one) => [one.placeId, one.arrival]))
    const shapes = Array.groupBy(yield* (yield* PlaceStore).shapes(userId), (shape) => shape.placeId)
    const stays = places
      .filter((place) => next.placeIds.has(place.id))
      .flatMap(({ archivedAt, id }) =>
        Stay.derive({ placeId: id, archivedAt, shapes: shapes[id] ?? [] }, open.get(id) ?? null, fixes)
      )
    yield* store.commit({
      userId,
      deviceId,
      view,
      placeIds: [...next.placeIds],
      from: next.from,
      to: last?.capturedAt ?? null,
      stays,
      // What is left of the last instant counts for nothing: its first fix was among these.
      progress: next.done(last === undefined ? null : Timestamp.plus(last.capturedAt, 1))
    })
    return true
  })
