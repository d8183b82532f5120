import { Effect, Layer, Option } from "effect"
import type { Place } from "../../../src/places/Place.js"
import { PlaceStore } from "../../../src/places/PlaceStore.js"
import * as Shape from "../../../src/places/Shape.js"
import * as Fix from "../../../src/fixes/Fix.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import { oweStays } from "../visits/oweStays.js"

export const layer: Layer.Layer<PlaceStore, never, MemoryDatabase> = Layer.effect(
  PlaceStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { places, placeShapes } = tables
    const find = (userId: string, id: Place["id"]): Option.Option<Place> =>
      Option.filter(Option.fromNullable(places.get(id)), (place) => place.userId === userId)

    return PlaceStore.of({
      create: (place) =>
        Effect.sync(() => {
          const owned = [...places.values()].filter((one) => one.userId === place.userId && one.archivedAt === null)
          if (owned.length >= AccountLimits.PLACES.most) return false
          moveStream(tables, place.userId)
          insert(tables, place, [Shape.of(place, null)])
          return true
        }),
      find: (userId, id) => Effect.sync(() => find(userId, id)),
      list: (userId) => Effect.sync(() => ofUser(tables, userId).sort(byLabel)),
      shapes: (userId) =>
        Effect.sync(() =>
          ofUser(tables, userId)
            .sort((a, b) => compare(a.id, b.id))
            .flatMap((place) => placeShapes.get(place.id) ?? [])
        ),
      update: (userId, id, change) =>
        Effect.map(Timestamp.now, (now) =>
          Option.map(find(userId, id), (before) => {
            const after = change(before, now)
            store(tables, before, after, now)
            return after
          })
        )
    })
  })
)

/** The user's places, including archived places. */
export const ofUser = ({ places }: Tables, userId: UserId): Array<Place> =>
  [...places.values()].filter((place) => place.userId === userId)

/**
 * Stores a new place. The stays at this place become due for derivation from the whole history of the user's devices.
 */
export const insert = (tables: Tables, place: Place, shapes: ReadonlyArray<Shape.Shape>): void => {
  tables.places.set(place.id, place)
  tables.placeShapes.set(place.id, shapes)
  for (const { id: deviceId, userId } of tables.devices.values()) {
    if (userId !== place.userId) continue
    const backfill = { userId, deviceId, placeId: place.id, dueFrom: Timestamp.make(Fix.EARLIEST) }
    tables.stayBackfills.set(`${userId} ${deviceId} ${place.id}`, backfill)
  }
}

/**
 * Raises the version of the user's uploads. So an upload or a derivation that read the places before this change cannot
 * commit, and has to read the places again.
 */
const moveStream = ({ streamVersions }: Tables, userId: UserId): void =>
  void streamVersions.set(userId, (streamVersions.get(userId) ?? 0) + 1)

/**
 * Replaces the place `before` by `after`. If the circle or the archiving has changed, the user's stays from `now` on
 * become due for derivation.
 */
export const store = (tables: Tables, before: Place, after: Place, now: Timestamp.Timestamp): void => {
  const { places, placeShapes } = tables
  places.set(after.id, after)
  const moved = after.geometryVersion !== before.geometryVersion
  if (moved) placeShapes.set(after.id, [...(placeShapes.get(after.id) ?? []), Shape.of(after, now)])
  if (!moved && after.archivedAt === before.archivedAt) return
  moveStream(tables, after.userId)
  oweStays(tables, after.userId, now)
}

/** Compares labels by Unicode code points, as a database with the collation C does. */
const byLabel = (a: Place, b: Place): number => compare(a.label, b.label) || compare(a.id, b.id)

const compare = (a: string, b: string): number => {
  const [left, right] = [[...a], [...b]]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
