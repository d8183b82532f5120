import { Array, Effect } from "effect"
import { PlaceStore } from "../places/PlaceStore.js"
import type { DeviceId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Stay from "./Stay.js"
import * as StayProgress from "./StayProgress.js"
import { StayStore } from "./StayStore.js"

export interface Bounds {
  readonly stepsMax: number
  /** Read and derived in one step. */
  readonly fixesAStep: number
}

/**
 * Derives what the device owes, as far as the bounds allow, and tells how many steps it took. Each step is stored by itself and
 * only on what it was computed from; a step that was overtaken by an upload is taken again.
 */
export const deriveStays = (
  userId: UserId,
  deviceId: DeviceId,
  { fixesAStep, stepsMax }: Bounds
): Effect.Effect<number, StoreError, StayStore | PlaceStore> =>
  Effect.gen(function* () {
    let taken = 0
    for (let owes = true; owes && taken < stepsMax; taken++) owes = yield* step(userId, deviceId, fixesAStep)
    return taken
  }).pipe(Effect.withSpan("deriveStays"))

/** Whether there is more to do. */
const step = (userId: UserId, deviceId: DeviceId, fixesAStep: number) =>
  Effect.gen(function* () {
    const store = yield* StayStore
    // First of all: what is stored after it makes the commit fail.
    const view = yield* store.view(userId, deviceId)
    if (view.progress.sendsVisits) {
      yield* store.forget(userId, deviceId)
      return false
    }
    const places = yield* (yield* PlaceStore).list(userId)
    const ids = places.map((place) => place.id)
    const next = StayProgress.next(view.progress, ids)
    if (next === undefined) return false
    const fixes = yield* store.fixes(userId, deviceId, next.from, fixesAStep)
    const last = fixes.length < fixesAStep ? undefined : fixes.at(-1)
    const open = new Map((yield* store.openAt(userId, deviceId, next.from)).map((one) => [one.placeId, one.arrival]))
    const shapes = Array.groupBy(yield* (yield* PlaceStore).shapes(userId), (shape) => shape.placeId)
    const stays = places
      .filter((place) => next.placeIds.has(place.id))
      .flatMap(({ archivedAt, id }) =>
        Stay.derive({ placeId: id, archivedAt, shapes: shapes[id] ?? [] }, open.get(id) ?? null, fixes)
      )
    // What is left of the last instant counts for nothing: its first fix was among these.
    const progress = next.done(last === undefined ? null : Timestamp.plus(last.capturedAt, 1))
    const stored = yield* store.commit({
      userId,
      deviceId,
      view,
      placeIds: [...next.placeIds],
      from: next.from,
      to: last?.capturedAt ?? null,
      stays,
      progress
    })
    return !stored || StayProgress.next(progress, ids) !== undefined
  })
