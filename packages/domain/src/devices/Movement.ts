import * as Geometry from "../places/Geometry.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"

/**
 * Where a device rests and when it last moved, followed from reading to reading (decision M14). `Carried` decides by it which of
 * a person's devices is with the person.
 *
 * A device rests at a spot. A reading apart from the spot is a move, and its position is the next spot. Two positions are apart
 * when they are farther from each other than both bands together, the bands by which rules and presence decide. So positions that
 * are not apart can never lie on two sides of the same circle, and no jitter within the accuracies is a move.
 *
 * `step` is a plain function of (movement, reading). Every time is a capture time, and only a reading that is newer than those
 * before it counts: an upload that arrives late says nothing of where the device is now.
 */

/** A position and how far from it the device may be. */
export interface Spot extends Geometry.Point {
  readonly bandM: number
}

/** Where a device rests, and since when. */
export interface Rest {
  /** The most accurate position of this rest. */
  readonly spot: Spot
  /** The capture time of the reading that left the spot before; null: no reading did yet. */
  readonly movedAt: Timestamp | null
}

export interface Movement extends Rest {
  /** The capture time of the newest reading. */
  readonly heardAt: Timestamp
  /** The newest position. Within a rest it may be as far from the spot as both bands together. */
  readonly last: Spot
  /** The rest that the newest reading ended; null when it ended none. A reading that is soon back there takes the move back. */
  readonly before: Rest | null
}

/** The part of a reading that decides. */
export interface Sighting extends Geometry.Point {
  readonly capturedAt: Timestamp
  readonly accuracyM: number | null
}

const spotOf = ({ accuracyM, lat, lon }: Sighting): Spot => ({ lat, lon, bandM: Geometry.bandM(accuracyM) })

/** Whether somebody at the one is certainly not at the other. */
export const isApart = (a: Spot, b: Spot): boolean => Geometry.distanceM(a, b) > a.bandM + b.bandM

/** Whether the reading was captured somewhere else than at the spot. */
export const isAway = (spot: Spot, sighting: Sighting): boolean => isApart(spot, spotOf(sighting))

/** A reading that is back within so long of a move takes it back. Longer is a trip of which the phone sent one reading. */
export const JUMP = 15 * MINUTE

/** The movement after one more reading; null: the device was never heard of. */
export const step = (movement: Movement | null, sighting: Sighting): Movement => {
  const heardAt = sighting.capturedAt
  const here = spotOf(sighting)
  if (movement === null) return { spot: here, movedAt: null, heardAt, last: here, before: null }
  if (heardAt <= movement.heardAt) return movement
  const { before, movedAt, spot } = movement
  if (!isApart(spot, here)) {
    // An imprecise first reading would let the device drift far before it counts as moved.
    return { spot: here.bandM < spot.bandM ? here : spot, movedAt, heardAt, last: here, before: null }
  }
  // One jump and back is no move: it would make a device at rest the one that moved last, for hours.
  const isShort = movedAt !== null && heardAt - movedAt <= JUMP
  if (before !== null && isShort && !isApart(before.spot, here)) return { ...before, heardAt, last: here, before: null }
  return { spot: here, movedAt: heardAt, heardAt, last: here, before: { spot, movedAt } }
}
