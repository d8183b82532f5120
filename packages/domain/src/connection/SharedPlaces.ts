import type { Place } from "../places/Place.js"
import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection, SharedPlace } from "./Connection.js"

export interface Chosen {
  readonly placeId: string
  readonly includeEarlierVisits: boolean
}

type Before = Pick<Connection, "places" | "placesVersion">

/** Those that the app may ask about now: an archived place only shows in past visits. */
export const present = (
  { places }: Pick<Connection, "places">,
  own: ReadonlyArray<Place>
): ReadonlyArray<SharedPlace> => {
  const archived = archivedIn(own)
  return places.filter((shared) => !archived.has(shared.placeId))
}

const archivedIn = (own: ReadonlyArray<Place>): ReadonlySet<PlaceId> =>
  new Set(own.filter((place) => place.archivedAt !== null).map((place) => place.id))

/** Ids among `chosen` that cannot be shared: not the user's, or archived and not shared already. */
export const refused = (
  chosen: ReadonlyArray<Chosen>,
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
 * The set after the user chose. A place that stays keeps the moment it was shared; the version grows only when places were
 * added or taken away (decisions §10). `before` is a version for a new connection: it counts for the `sub`, so a new set goes on
 * counting and an app never meets a version again with other places. An archived place that is shared stays, named or not: no page lists
 * archived places, so leaving one out is no choice, and its past visits must go on showing it (Spec §3.1, §4.5).
 */
export const replace = (
  before: Before | number,
  chosen: ReadonlyArray<Chosen>,
  own: ReadonlyArray<Place>,
  now: Timestamp
): Before => {
  const old = new Map<string, SharedPlace>(
    (typeof before === "number" ? [] : before.places).map((shared) => [shared.placeId, shared])
  )
  const archived = archivedIn(own)
  const kept = [...old.values()].filter((shared) => archived.has(shared.placeId))
  const byId = new Map<string, Chosen>([...kept, ...chosen].map((one) => [one.placeId, one]))
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
