import { Schema } from "effect"
import type { PlaceId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { line } from "../shared/Text.js"
import type { Circle } from "./Geometry.js"

/** Decision L1. */
export const Kind = Schema.Literal("home", "work", "school", "gym", "shop", "restaurant", "transit", "health", "other")
export type Kind = typeof Kind.Type

export const Label = line(1, 80).pipe(Schema.brand("PlaceLabel"))
export type Label = typeof Label.Type

/** Below 100 m a place could hardly be entered; 150 m detects arrivals soonest on real logs. */
export const DEFAULT_RADIUS_M = 150

/** A circle with a name; the user's own. */
export interface Place {
  readonly userId: UserId
  readonly id: PlaceId
  readonly label: Label
  readonly kind: Kind
  readonly circle: Circle
  /** Grows when the circle changes, so that rule states of the old circle are not carried over (decision L8). */
  readonly geometryVersion: number
  readonly createdAt: Timestamp
  readonly archivedAt: Timestamp | null
}

/** What apps see of a place (Spec §2.5). */
export interface PlaceRef {
  readonly id: PlaceId
  readonly label: string
  readonly kind: Kind
}

/** What an app is told of a place (Spec §2.5). */
export const ref = (place: Place): PlaceRef => ({ id: place.id, label: place.label, kind: place.kind })

/** What the user may say about a place; the rest follows. */
export interface Draft {
  readonly label: Label
  readonly kind: Kind
  readonly circle: Circle
}

/** A new place, with its first geometry. */
export const make = (userId: UserId, id: PlaceId, draft: Draft, now: Timestamp): Place => ({
  userId,
  id,
  label: draft.label,
  kind: draft.kind,
  circle: draft.circle,
  geometryVersion: 1,
  createdAt: now,
  archivedAt: null
})

/** What an edit says; what it leaves out stays. */
export interface Edit {
  readonly label?: Label | undefined
  readonly kind?: Kind | undefined
  readonly lat?: number | undefined
  readonly lon?: number | undefined
  readonly radiusM?: number | undefined
}

/** Only another circle makes a new geometry version: a rename or the same circle again re-seeds no rule (decision L8). */
export const edited = (before: Place, edit: Edit): Place => {
  const circle: Circle = {
    lat: edit.lat ?? before.circle.lat,
    lon: edit.lon ?? before.circle.lon,
    radiusM: edit.radiusM ?? before.circle.radiusM
  }
  const same =
    circle.lat === before.circle.lat && circle.lon === before.circle.lon && circle.radiusM === before.circle.radiusM
  return {
    ...before,
    label: edit.label ?? before.label,
    kind: edit.kind ?? before.kind,
    circle: same ? before.circle : circle,
    geometryVersion: same ? before.geometryVersion : before.geometryVersion + 1
  }
}

/** Archived for good, since the first time that it was asked for. */
export const archived = (before: Place, now: Timestamp): Place =>
  before.archivedAt === null ? { ...before, archivedAt: now } : before
