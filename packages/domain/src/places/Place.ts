// A place and its changes. Decisions places-2 and places-3.
import { Schema } from "effect"
import { brand } from "../shared/Errors.js"
import { isOutdatedForm, type PlaceId, type ShownState, type Timestamp, type UserId } from "../shared/index.js"
import { line } from "../shared/Text.js"
import type { Circle } from "./Geometry.js"

/** The kinds of places (decision L1). */
export const PlaceKind = Schema.Literal(
  "home",
  "work",
  "school",
  "gym",
  "shop",
  "restaurant",
  "transit",
  "health",
  "other"
)
export type PlaceKind = typeof PlaceKind.Type

export const Label = line(1, 80).pipe(brand("PlaceLabel"))
export type Label = typeof Label.Type

/**
 * The radius of a place, in metres, when the user chooses none. In a test with 15 recorded stays, a radius of 40 or 50
 * m detected no stay, and 150 m detected the arrivals soonest (decision L1).
 */
export const DEFAULT_RADIUS_M = 150

/** A named circle of one user. */
export interface Place {
  readonly userId: UserId
  readonly id: PlaceId
  readonly label: Label
  readonly kind: PlaceKind
  readonly circle: Circle
  /**
   * A number that grows when the circle changes. A rule then forgets the state that it computed for the earlier circle
   * (decision L8).
   */
  readonly geometryVersion: number
  readonly createdAt: Timestamp.Timestamp
  readonly archivedAt: Timestamp.Timestamp | null
}

/** The part of a place that apps see (Spec §2.5). */
export interface PlaceRef {
  readonly id: PlaceId
  readonly label: string
  readonly kind: PlaceKind
}

/** The part of a place that apps see. It has no coordinates. */
export const ref = (place: Place): PlaceRef => ({ id: place.id, label: place.label, kind: place.kind })

/** The fields of a new place that the user chooses. */
export interface PlaceDraft {
  readonly label: Label
  readonly kind: PlaceKind
  readonly circle: Circle
}

/** A new place, with geometry version 1. */
export const make = (userId: UserId, id: PlaceId, draft: PlaceDraft, now: Timestamp.Timestamp): Place => ({
  userId,
  id,
  label: draft.label,
  kind: draft.kind,
  circle: draft.circle,
  geometryVersion: 1,
  createdAt: now,
  archivedAt: null
})

/**
 * Whether the place is not archived and has exactly the fields of `draft`. When a form is sent twice, the page uses
 * this check to find the place that the first request made, and makes no second place (decisions L1 and consent-11).
 */
export const isDraftOf = ({ archivedAt, circle, kind, label }: Place, draft: PlaceDraft): boolean =>
  archivedAt === null &&
  label === draft.label &&
  kind === draft.kind &&
  circle.lat === draft.circle.lat &&
  circle.lon === draft.circle.lon &&
  circle.radiusM === draft.circle.radiusM

/** A change of a place. A field that is left out stays as it is. */
export interface PlaceEdit {
  readonly label?: Label | undefined
  readonly kind?: PlaceKind | undefined
  readonly lat?: number | undefined
  readonly lon?: number | undefined
  readonly radiusM?: number | undefined
}

/** The state of a place that a form showed. The geometry version stands for the circle. */
export interface ShownPlace {
  readonly label: string
  readonly kind: string
  readonly geometryVersion: number
}

/**
 * Whether the form showed another state of the place than the present one, and the edit would change the present state.
 */
export const isOutdated = (before: Place, edit: PlaceEdit, shown: ShownState<ShownPlace>): boolean =>
  isOutdatedForm<ShownPlace>(
    ({ geometryVersion, kind, label }) =>
      label === before.label && kind === before.kind && geometryVersion === before.geometryVersion,
    shown,
    edited(before, edit)
  )

/**
 * The place after `edit`. Only a different circle makes a new geometry version, because with a new version the rules of
 * the place forget whether the user is inside (decision L8).
 */
export const edited = (before: Place, edit: PlaceEdit): Place => {
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

/** Archives the place permanently. Idempotent: a repeated call keeps the time of the first call. */
export const archived = (before: Place, now: Timestamp.Timestamp): Place =>
  before.archivedAt === null ? { ...before, archivedAt: now } : before
