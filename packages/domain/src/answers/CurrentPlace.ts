import type { StoredFix } from "../fixes/Fix.js"
import * as Geometry from "../places/Geometry.js"
import * as Place from "../places/Place.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { best } from "./VisiblePlaces.js"

/** The place where the user is, among the places that the user shares with the app (decisions §4, L9). */
export type CurrentPlace =
  | { readonly state: "at_place"; readonly place: Place.PlaceRef; readonly asOf: Timestamp }
  /** The user is certainly outside all places that the user shares with the app. */
  | { readonly state: "elsewhere"; readonly place: null; readonly asOf: Timestamp }
  | typeof UNKNOWN

export const UNKNOWN = { state: "unknown", place: null, asOf: null } as const

/**
 * Decides where the user is, by the newest fix since `since` that is certainly inside one of the places or certainly
 * outside all of them. Fixes that are too inaccurate for this are skipped. `fixes` are newest first. When `places` is
 * empty, every fix decides for "elsewhere".
 */
export const decide = (
  places: ReadonlyArray<Place.Place>,
  fixes: ReadonlyArray<StoredFix>,
  since: Timestamp
): CurrentPlace => {
  for (const fix of fixes) {
    if (fix.capturedAt < since) return UNKNOWN
    const decided = byFix(places, fix)
    if (decided !== undefined) return decided
  }
  return UNKNOWN
}

const byFix = (places: ReadonlyArray<Place.Place>, fix: StoredFix): CurrentPlace | undefined => {
  const inside: Array<Place.Place> = []
  let isUndecided = false
  for (const place of places) {
    const side = Geometry.sideOf(place.circle, fix, fix.accuracyM)
    if (side === "inside") inside.push(place)
    else if (side === undefined) isUndecided = true
  }
  const at = best(
    inside.map((place) => ({ place, circle: place.circle })),
    fix
  )
  if (at !== undefined) return { state: "at_place", place: Place.ref(at), asOf: fix.capturedAt }
  return isUndecided ? undefined : { state: "elsewhere", place: null, asOf: fix.capturedAt }
}
