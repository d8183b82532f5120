import type { Place } from "../places/Place.js"
import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection, SharedPlace } from "./Connection.js"

export interface Chosen {
  readonly placeId: string
  readonly includeEarlierVisits: boolean
}

type Before = Pick<Connection, "places" | "placesVersion">

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
 * added or taken away (decisions §10), and begins at 1.
 */
export const replace = (before: Before | undefined, chosen: ReadonlyArray<Chosen>, now: Timestamp): Before => {
  const old = new Map<string, SharedPlace>((before?.places ?? []).map((shared) => [shared.placeId, shared]))
  const byId = new Map(chosen.map((one) => [one.placeId, one]))
  const places = [...byId.values()].map((one): SharedPlace => ({
    placeId: one.placeId as PlaceId,
    sharedAt: old.get(one.placeId)?.sharedAt ?? now,
    includeEarlierVisits: one.includeEarlierVisits
  }))
  const sameSet = old.size === places.length && places.every((shared) => old.has(shared.placeId))
  return {
    places: [...places].sort((a, b) => (a.placeId < b.placeId ? -1 : 1)),
    placesVersion: before === undefined ? 1 : sameSet ? before.placesVersion : before.placesVersion + 1
  }
}
