// Decides whether the user is inside a circle (decision answers-3).
import type { StoredFix } from "../fixes/Fix.js"
import { isTooCoarse } from "../limits/ZoneQuestions.js"
import * as Geometry from "../places/Geometry.js"
import type { Timestamp } from "../shared/Timestamp.js"

/**
 * Whether the user is inside one circle: the circle of a place, or a zone that the app drew (Spec §4.5, decision L9).
 * `asOf` is the time of the fix that decided.
 */
export type Presence =
  | { readonly state: "yes" | "no"; readonly asOf: Timestamp }
  | { readonly state: "unknown"; readonly asOf: null }

export const UNKNOWN: Presence = { state: "unknown", asOf: null }

/**
 * Decides whether the user is inside the circle, by the newest fix since `since` that is certainly inside or certainly
 * outside. `fixes` are newest first.
 */
export const decide = (circle: Geometry.Circle, fixes: ReadonlyArray<StoredFix>, since: Timestamp): Presence => {
  for (const fix of fixes) {
    if (fix.capturedAt < since) return UNKNOWN
    const side = Geometry.sideOf(circle, fix, fix.accuracyM)
    if (side !== undefined) return { state: side === "inside" ? "yes" : "no", asOf: fix.capturedAt }
  }
  return UNKNOWN
}

/**
 * Like `decide`, for a zone that the app drew. A fix that is less accurate than 200 m decides nothing (decision
 * answers-5). The less accurate a fix is, the wider is the band around the zone in which the answer is "unknown". For a
 * small zone, the app's budget counts a band of 200 m, so a wider band would tell the app about a larger area than the
 * budget counts (decision M8).
 */
export const decideZone = (circle: Geometry.Circle, fixes: ReadonlyArray<StoredFix>, since: Timestamp): Presence =>
  decide(
    circle,
    fixes.filter(({ accuracyM }) => !isTooCoarse(accuracyM)),
    since
  )
