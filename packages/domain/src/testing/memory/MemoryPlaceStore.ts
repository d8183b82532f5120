import { Effect, Layer, Option } from "effect"
import type { Place } from "../../places/Place.js"
import { PlaceStore } from "../../places/PlaceStore.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

export const layer: Layer.Layer<PlaceStore, never, MemoryDatabase> = Layer.effect(
  PlaceStore,
  Effect.map(MemoryDatabase, ({ places }) => {
    const find = (userId: string, id: Place["id"]): Option.Option<Place> =>
      Option.filter(Option.fromNullable(places.get(id)), (place) => place.userId === userId)

    return PlaceStore.of({
      create: (place) => Effect.sync(() => void places.set(place.id, place)),
      find: (userId, id) => Effect.sync(() => find(userId, id)),
      list: (userId) =>
        Effect.sync(() => [...places.values()].filter((place) => place.userId === userId).sort(byLabel)),
      update: (userId, id, change) =>
        Effect.sync(() =>
          Option.map(find(userId, id), (before) => {
            const after = change(before)
            places.set(id, after)
            return after
          })
        )
    })
  })
)

/** By Unicode code points, as a database with the C collation has them. */
const byLabel = (a: Place, b: Place): number => compare(a.label, b.label) || compare(a.id, b.id)

const compare = (a: string, b: string): number => {
  const [left, right] = [[...a], [...b]]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
