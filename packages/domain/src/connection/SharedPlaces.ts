// The set of places that a connection shares. Decisions M1 and M6.
import type { Place } from "../places/Place.js"
import type { PlaceId, Timestamp } from "../shared/index.js"
import type { Connection, SharedPlace } from "./Connection.js"

export interface ChosenPlaces {
  readonly placeId: string
  readonly includeEarlierVisits: boolean
}

type Before = Pick<Connection, "places" | "placesVersion">

/** The shared places that the app may ask about now. Archived places appear in past visits only. */
export const present = (
  { places }: Pick<Connection, "places">,
  own: ReadonlyArray<Place>
): ReadonlyArray<SharedPlace> => {
  const archived = archivedIn(own)
  return places.filter((shared) => !archived.has(shared.placeId))
}

const archivedIn = (own: ReadonlyArray<Place>): ReadonlySet<PlaceId> =>
  new Set(own.filter((place) => place.archivedAt !== null).map((place) => place.id))

/** The ids in `chosen` that name no place of the user, or an archived place that was not shared before. */
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
 * The set after the user's choice. A place that was shared before keeps the time of its sharing. The version grows only
 * when the set changes (decisions §10).
 *
 * For a new connection, `before` is the last version that this `sub` ever had. Counting goes on from there, so that an
 * app never sees one version with two different sets.
 *
 * An archived place that was shared stays shared, chosen or not. Pages do not list archived places, so a user cannot
 * have deselected them, and past visits must keep showing them (Spec §3.1, §4.5).
 */
export const replace = (
  before: Before | number,
  chosen: ReadonlyArray<ChosenPlaces>,
  own: ReadonlyArray<Place>,
  now: Timestamp.Timestamp
): Before => {
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
