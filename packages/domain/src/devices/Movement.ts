import * as Geometry from "../places/Geometry.js"
import * as Erasure from "../retention-choice/Erasure.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"

/**
 * Follows, from reading to reading, where a device rests and when it last moved (decision M14). `Carried` uses it to
 * decide which of a person's devices is with the person. Decision devices-5.
 *
 * A device rests at a spot. A reading away from the spot is a move, and the position of the reading becomes the next
 * spot. Each position has a band, as in rules and presence: the device is really within this distance of the position.
 * Two positions are apart when the distance between them is larger than both bands together. So a reading that is
 * inaccurate within its band is never a move.
 *
 * `step` is a plain function of a movement and a reading. All times are capture times. Only a reading that is newer
 * than all earlier readings changes the movement, because a late upload says nothing about where the device is now.
 */

/** A position, and its band in metres: how far from the position the device may really be. */
export interface Spot extends Geometry.Point {
  readonly bandM: number
}

/** A rest: the spot where a device stays, and since when. */
export interface RestingPhone {
  /** The most accurate position of this rest. */
  readonly spot: Spot
  /** The capture time of the reading that left the previous spot; null: the device has not moved yet. */
  readonly movedAt: Timestamp | null
}

export interface Movement extends RestingPhone {
  /** The capture time of the newest reading. */
  readonly heardAt: Timestamp
  /** The newest position. While the device rests, its distance from the spot is at most the sum of the two bands. */
  readonly last: Spot
  /**
   * The rest that the newest reading ended; null: none. If the device is back at that spot within `JUMP`, the move is
   * undone.
   */
  readonly before: RestingPhone | null
}

/** The fields of a reading that `step` needs. */
export interface MovementFix extends Geometry.Point {
  readonly capturedAt: Timestamp
  readonly accuracyM: number | null
}

/**
 * Stands for a position that the owner deleted. Its band is wider than any distance on the globe, so no position is
 * apart from it, and the next reading becomes the spot without being a move. Processes of the previous release, which
 * still run during an update, read this value in the same way.
 */
export const DELETED: Spot = { lat: 0, lon: 0, bandM: 20_100_000 }

/**
 * Whether the position is still known: the owner did not delete it. A wide band alone does not mean that the position
 * was deleted, because some phones send a huge number for an unknown accuracy.
 */
export const isKnown = ({ bandM, lat, lon }: Spot): boolean =>
  bandM !== DELETED.bandM || lat !== DELETED.lat || lon !== DELETED.lon

const spotOf = ({ accuracyM, lat, lon }: MovementFix): Spot => ({ lat, lon, bandM: Geometry.bandM(accuracyM) })

/** Whether a device at one of the two positions is certainly not at the other position: their bands do not overlap. */
export const isApart = (a: Spot, b: Spot): boolean => Geometry.distanceM(a, b) > a.bandM + b.bandM

/** Whether the reading was captured away from the spot. */
export const isAway = (spot: Spot, sighting: MovementFix): boolean => isApart(spot, spotOf(sighting))

/**
 * Milliseconds. When a device is back at its earlier spot within this time, the move is undone, because the reading in
 * between was probably wrong. A longer absence is a real trip.
 */
export const JUMP = 15 * MINUTE

/**
 * The movement after one more reading. `movement` null: it is the device's first reading. A reading that is not newer
 * than the newest one changes nothing.
 */
export const step = (movement: Movement | null, sighting: MovementFix): Movement => {
  const heardAt = sighting.capturedAt
  const here = spotOf(sighting)
  if (movement === null) return { spot: here, movedAt: null, heardAt, last: here, before: null }
  if (heardAt <= movement.heardAt) return movement
  const { before, movedAt, spot } = movement
  if (!isApart(spot, here)) {
    // Keeps the most precise position of a rest. With an imprecise spot, the device could drift far before it counts as
    // moved.
    return { spot: here.bandM < spot.bandM ? here : spot, movedAt, heardAt, last: here, before: null }
  }
  // When the device is back at its earlier spot within `JUMP`, the reading in between was probably wrong, and its move
  // is undone. Otherwise a resting device would count for hours as the device that moved last.
  const isShort = movedAt !== null && heardAt - movedAt <= JUMP
  if (before !== null && isShort && !isApart(before.spot, here)) return { ...before, heardAt, last: here, before: null }
  return { spot: here, movedAt: heardAt, heardAt, last: here, before: { spot, movedAt } }
}

/**
 * The movement after the owner deleted the history of a stretch (decision retention-choice-4). It loses each position
 * that may come from a deleted reading, and keeps its times. Without the times, a phone that rests would no longer be
 * the device that moved last, and the readings of a tablet at home would count as carried.
 */
export const without = (erasure: Erasure.Stretch, movement: Movement): Movement => {
  const { before, heardAt, last, movedAt, spot } = movement
  const newest = Erasure.covers(erasure, heardAt) ? DELETED : last
  return {
    ...movement,
    spot: heardAt >= erasure.from && beganBy(movedAt, erasure.until) ? newest : spot,
    last: newest,
    before:
      before !== null && movedAt !== null && movedAt > erasure.from && beganBy(before.movedAt, erasure.until)
        ? null
        : before
  }
}

/**
 * Whether a rest began before `until`. A device that has not moved yet may have rested for any length of time, so the
 * result is true.
 */
const beganBy = (movedAt: Timestamp | null, until: Timestamp): boolean => movedAt === null || movedAt < until
