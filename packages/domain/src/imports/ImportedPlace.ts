// A place that is imported from an archive of this service. Decision exports-7.
import type { Circle } from "../places/Geometry.js"
import type { Label, Place, PlaceKind } from "../places/Place.js"
import type { Shape } from "../places/Shape.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import { PlaceId, type UserId } from "../shared/Ids.js"
import { type Timestamp } from "../shared/Timestamp.js"
import type { Vault } from "../shared/Vault.js"

export interface ImportedPlace {
  /** The id of the place in the account from which the archive was exported. */
  readonly origin: string
  readonly label: Label
  readonly kind: PlaceKind
  readonly createdAt: Timestamp
  readonly archivedAt: Timestamp | null
  /** The circles of the place, oldest first; the last one is the present circle. */
  readonly shapes: ReadonlyArray<{
    readonly geometryVersion: number
    /** The time from which the circle is valid. Null for the first circle, which is valid for all of the past. */
    readonly validFrom: Timestamp | null
    readonly circle: Circle
  }>
}

/**
 * The limit that decides whether an import may add the place. An archived place counts against the limit of archived
 * places, every other place against the limit of places (decision limits-9).
 */
export const limitOf = ({ archivedAt }: Pick<Place, "archivedAt">): AccountLimits.OwnedLimit =>
  archivedAt === null ? AccountLimits.PLACES : AccountLimits.ARCHIVED_PLACES

/**
 * An imported place keeps at most this many of its circles, the newest ones, because each answer about visits reads all
 * circles of the person's places.
 */
const MOST_SHAPES = 200

/**
 * Whether an archive may contain the place: its times are not after the upload, and its shapes are ordered by version
 * and by time. Somebody may have made the archive up.
 */
export const isPossible = ({ archivedAt, createdAt, shapes }: ImportedPlace, uploadedAt: Timestamp): boolean =>
  createdAt <= uploadedAt &&
  (archivedAt === null || archivedAt <= uploadedAt) &&
  shapes.length > 0 &&
  shapes.every(({ geometryVersion, validFrom }, index) => {
    const before = shapes[index - 1]
    if (before === undefined) return validFrom === null
    return (
      geometryVersion > before.geometryVersion &&
      validFrom !== null &&
      validFrom <= uploadedAt &&
      validFrom >= (before.validFrom ?? validFrom)
    )
  })

/**
 * An imported place with a new id, and its shapes. The store adds the place unless the person has the same place
 * already (`isSame`) or as many places as `limitOf` allows.
 */
export interface ReturnedPlace {
  readonly place: Place
  readonly origin: string
  readonly shapes: ReadonlyArray<Shape>
}

/**
 * The imported place with a new id; undefined when the place has no shape. The id is derived from the person and from
 * the place's id in the archive. So another import of the archive gives the same id and adds no second place, even when
 * the person renamed the place. The place never gets the id from the archive: the same id in two accounts would show
 * that both accounts belong to one person.
 */
export const returned = (
  userId: UserId,
  { archivedAt, createdAt, kind, label, origin, shapes }: ImportedPlace,
  { sha256 }: Pick<Vault["Type"], "sha256">
): ReturnedPlace | undefined => {
  const id = PlaceId.make(`plc_${sha256(`place ${userId} ${origin}`).slice(0, 24)}`)
  const last = shapes.at(-1)
  if (last === undefined) return undefined
  return {
    origin,
    place: {
      userId,
      id,
      label,
      kind,
      circle: last.circle,
      geometryVersion: last.geometryVersion,
      createdAt,
      archivedAt
    },
    shapes: shapes
      .slice(-MOST_SHAPES)
      .map((shape, index) => ({ placeId: id, ...shape, validFrom: index === 0 ? null : shape.validFrom }))
  }
}

/**
 * Whether the stored place `known` is the imported place: an earlier import stored the imported place as `known`, or
 * `known` is the place from which the archive was made, or the user sees no difference between the two places.
 */
export const isSame = ({ origin, place }: ReturnedPlace, known: Place): boolean =>
  known.id === place.id ||
  known.id === origin ||
  (known.label === place.label &&
    known.kind === place.kind &&
    known.circle.lat === place.circle.lat &&
    known.circle.lon === place.circle.lon &&
    known.circle.radiusM === place.circle.radiusM &&
    (known.archivedAt === null) === (place.archivedAt === null))
