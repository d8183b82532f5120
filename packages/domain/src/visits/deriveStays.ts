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

interface Read {
  readonly fixes: ReadonlyArray<Stay.Sighting>
  /** Undefined when there are no more. */
  readonly last: Stay.Sighting | undefined
}

const NONE: Read = { fixes: [], last: undefined }

/** Fixes from a moment on, as many as a step takes, or as it takes to come past `due`: otherwise the same step would be taken for ever. */
const read = (
  userId: UserId,
  deviceId: DeviceId,
  from: Timestamp.Timestamp,
  due: Timestamp.Timestamp,
  limit: number
): Effect.Effect<Read, StoreError, StayStore> =>
  Effect.gen(function* () {
    const fixes = yield* (yield* StayStore).fixes(userId, deviceId, from, limit)
    const last = fixes.length < limit ? undefined : fixes.at(-1)
    return last !== undefined && last.capturedAt < due
      ? yield* read(userId, deviceId, from, due, 2 * limit)
      : { fixes, last }
  })

/** False when there was nothing to do. */
const step = (userId: UserId, deviceId: DeviceId, { fixesAStep, newPlaces }: Bounds) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    // First of all: what is stored after it makes the commit fail.
    const view = yield* store.view(userId, deviceId)
    const places = yield* (yield* PlaceStore).list(userId)
    const next = StayProgress.next(
      view.progress,
      places.map((place) => place.id),
      newPlaces
    )
    if (next === undefined) return false
    // A stay that ended just before may go on with what is new.
    const from = Timestamp.plus(next.from, -Stay.ABSENCE)
    const { fixes, last } = next.placeIds.size === 0 ? NONE : yield* read(userId, deviceId, from, next.from, fixesAStep)
    const open = new Map((yield* store.openAt(userId, deviceId, from)).map((one) => [one.placeId, one.arrival]))
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
      from,
      to: last?.capturedAt ?? null,
      stays,
      // What is left of the last instant counts for nothing: its first fix was among these.
      progress: next.done(last === undefined ? null : Timestamp.plus(last.capturedAt, 1))
    })
    return true
  })
