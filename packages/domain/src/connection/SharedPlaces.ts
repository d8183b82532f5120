// The set of places that a connection shares. Decisions M1 and M6.
import type { Place } from "../places/Place.js"
import type { PlaceId, Timestamp } from "../shared/index.js"
import type { Connection, SharedPlace } from "./Connection.js"

export interface ChosenPlaces {
  readonly placeId: string
  readonly includeEarlierVisits: boolean
}

type SharedSet = Pick<Connection, "places" | "placesVersion">

/** The shared places that the app may ask about now. Archived places appear only in answers about the past. */
export const present = (
  { places }: Pick<Connection, "places">,
  own: ReadonlyArray<Place>
): ReadonlyArray<SharedPlace> => {
  const archived = archivedIn(own)
  return places.filter((shared) => !archived.has(shared.placeId))
}

const archivedIn = (own: ReadonlyArray<Place>): ReadonlySet<PlaceId> =>
  new Set(own.filter((place) => place.archivedAt !== null).map((place) => place.id))

/** Whether both lists have the same places with the same `includeEarlierVisits`, in any order. */
export const same = (a: ReadonlyArray<ChosenPlaces>, b: ReadonlyArray<ChosenPlaces>): boolean =>
  a.length === b.length &&
  a.every(({ includeEarlierVisits, placeId }) =>
    b.some((other) => other.placeId === placeId && other.includeEarlierVisits === includeEarlierVisits)
  )

/** The ids in `chosen` that name no place of the user, or an archived place that the connection does not share yet. */
export const refused = (
  chosen: ReadonlyArray<ChosenPlaces>,
  own: ReadonlyArray<Place>,
  before: ReadonlyArray<SharedPlace>
): ReadonlyArray<string> => {
  const shareable = new Set<string>([
    ...own.filter((place) => place.archivedAt === null).map((place) => place.id),
    ...before.map((shared) => shared.placeId)
  ])
  return chosen.map((one) => one.placeId).filter((id) => !shareable.has(id))
}

/**
 * The set of shared places after the user's choice. A place that was shared before keeps its `sharedAt`.
 * `placesVersion` grows only when a place is added or removed (decisions §10).
 *
 * For a new connection, `before` is the last `placesVersion` that earlier connections of this user and app had. The new
 * connection continues with the next number, so that an app never sees one version with two different sets.
 *
 * An archived place that was shared stays shared, even if it is not in `chosen`. The pages do not list archived places,
 * so the user has not deselected the place, and past visits must keep showing it (Spec §3.1, §4.5).
 */
export const replace = (
  before: SharedSet | number,
  chosen: ReadonlyArray<ChosenPlaces>,
  own: ReadonlyArray<Place>,
  now: Timestamp.Timestamp
): SharedSet => {
  const old = new Map<string, SharedPlace>(
    (typeof before === "number" ? [] : before.places).map((shared) => [shared.placeId, shared])
  )
  const archived = archivedIn(own)
  const kept = [...old.values()].filter((shared) => archived.has(shared.placeId))
  const byId = new Map<string, ChosenPlaces>([...kept, ...chosen].map((one) => [one.placeId, one]))
  const places = [...byId.values()].map((one): SharedPlace => ({
    placeId: one.placeId as PlaceId,
    sharedAt: old.get(one.placeId)?.sharedAt ?? now,
    includeEarlierVisits: one.includeEarlierVisits
  }))
  const sameSet = old.size === places.length && places.every((shared) => old.has(shared.placeId))
  return {
    places: [...places].sort((a, b) => (a.placeId < b.placeId ? -1 : 1)),
    placesVersion: typeof before === "number" ? before + 1 : sameSet ? before.placesVersion : before.placesVersion + 1
  }
}
