// Derives stays from fixes. Decisions visits-3, visits-4, visits-5, visits-10 and visits-11.
import type { MarkedFix } from "../fixes/Fix.js"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { PlaceId } from "../shared/Ids.js"
import { HOUR, MINUTE, type Timestamp } from "../shared/Timestamp.js"

/**
 * A device's time at a place (decision L10): from its first fix that is clearly inside the circle to the first fix of
 * an absence.
 */
export interface Stay {
  readonly placeId: PlaceId
  readonly arrival: Timestamp
  /**
   * The time of the first fix that is clearly outside, or the start of a stretch of history that the user deleted; null
   * while the stay is open.
   */
  readonly departure: Timestamp | null
  /**
   * The time of the last fix before a long silence after which the device was far away. Nobody knows when, during this
   * silence, the device left. Null: there was no such silence, or the stay is open.
   */
  readonly heardUntil: Timestamp | null
}

/**
 * The fields of a fix that the derivation needs. A fix of a device that its user had left behind does not show where
 * the user was. So it counts as outside of every circle and far away from it. It has a mark (`isLeftBehind`) for this,
 * and not a made-up position far away, because the user may have a place at that position.
 */
export type StayFix = Pick<MarkedFix, "capturedAt" | "lat" | "lon" | "accuracyM" | "isLeftBehind">

/** The fields of a place that the derivation needs. */
export interface Ground {
  readonly placeId: PlaceId
  /** The circles that the place has had, in the order of their versions. */
  readonly shapes: ReadonlyArray<Shape.Shape>
  readonly archivedAt: Timestamp | null
}

/**
 * The shortest stay that apps see, in milliseconds. Shorter stays are stored too, because the next fix may make them
 * longer.
 */
export const MIN_STAY = 5 * MINUTE

/** The shortest absence that ends a stay, in milliseconds (amendment M15). */
export const ABSENCE = 2 * MINUTE

/**
 * The length that a *jump* must not reach, in milliseconds. A jump is an absence with at most `JUMP_FIXES` fixes
 * outside, which are less than `ABSENCE` apart, and with a fix inside less than `JUMP` after the first fix outside. A
 * jump does not end a stay, because its fixes are probably wrong positions: a wrong position is usually a single fix.
 */
const JUMP = 10 * MINUTE
const JUMP_FIXES = 2

/**
 * A stay that ended at least this long before the last known fix, in milliseconds, is final: a later fix can continue a
 * stay only when the absence was shorter than this.
 */
export const FINAL_AFTER = JUMP

/**
 * The shortest silence, in milliseconds, that can make a departure uncertain. A device at rest sends little, and begins
 * to send again within a kilometre of its place. So a device that was silent for this long and is then more than
 * `FAR_M` from the edge was switched off, and nobody knows when it left. A shorter silence does not make a departure
 * uncertain, because some phone apps send only once in a few hours.
 */
export const SILENCE = 4 * HOUR
/** The distance from the edge of the circle, in metres, beyond which a device counts as far away after a `SILENCE`. */
export const FAR_M = 2_000

/**
 * The departure that answers and pages show: the time of the last fix before a silence that makes the departure
 * uncertain, or else the departure.
 */
export const departureOf = ({ departure, heardUntil }: Pick<Stay, "departure" | "heardUntil">): Timestamp | null =>
  heardUntil ?? departure

/**
 * Whether a stay is long enough to be shown as a visit. `departure` is the result of `departureOf`; an open stay lasts
 * until `now`.
 */
export const isLongEnough = (
  { arrival, departure }: { readonly arrival: Timestamp; readonly departure: Timestamp | null },
  now: Timestamp
): boolean => (departure ?? now) - arrival >= MIN_STAY

/** The facts that a derivation needs about the time before its first fix. */
export interface TimeBefore {
  /** The arrival of a stay that is open at the first fix; null: no stay is open. */
  readonly openSince: Timestamp | null
  /** The time of the device's last fix before the first fix of the derivation; null: there is no earlier fix. */
  readonly heardAt: Timestamp | null
}

/**
 * Describes the time before the first fix of a derivation. `open` is the stored stay that is open at the first fix;
 * `heardAt` is the time of the device's last fix before it. When retention has deleted all earlier fixes, the stored
 * `heardUntil` of an uncertain stay still says when the last fix before the silence was captured.
 */
export const beforeOf = (
  open: Pick<Stay, "arrival" | "heardUntil"> | undefined,
  heardAt: Timestamp | null
): TimeBefore => ({
  openSince: open?.arrival ?? null,
  heardAt: heardAt ?? open?.heardUntil ?? null
})

/**
 * The stays at one place. `fixes` are the fixes of one device in the order of `Fix.byCapture`; of several fixes of one
 * instant the first one counts. `TimeBefore` describes the time before the first of these fixes. The result does not
 * depend on whether the fixes are given together or in pieces.
 *
 * A stay keeps the circle with which it began, even when the user moves or archives the place. Fixes near the edge,
 * silence, an absence shorter than `ABSENCE` and a jump do not end a stay. To continue from a moment, give the fixes
 * from `FINAL_AFTER` before that moment.
 *
 * `erasures` are the stretches of history that the user deleted, in order of time. Such a stretch ends a stay where the
 * stretch begins. No stay goes on through it, because its fixes are gone. A silence can make the departure uncertain
 * even when the silence contains a deleted stretch.
 */
export const derive = (
  { archivedAt, placeId, shapes }: Ground,
  { heardAt, openSince }: TimeBefore,
  fixes: Iterable<StayFix>,
  erasures: ReadonlyArray<Erasure.Stretch> = []
): ReadonlyArray<Stay> => {
  const stays: Array<Stay> = []
  let arrival = openSince
  let circle = openSince === null ? undefined : Shape.validAt(shapes, openSince)?.circle
  /**
   * The last stay that ended. The stay goes on if the next fix inside the circle comes before `isOver` is true;
   * otherwise the end of the stay is final.
   */
  let left: LeftStay | undefined
  let lastFixAt = heardAt
  let instant = Number.NEGATIVE_INFINITY
  let next = 0
  /**
   * Ends the stay at each deleted stretch of history that begins before `fix`. `fix` undefined: at each deleted stretch
   * that begins after the last fix.
   */
  const eraseBefore = (fix: StayFix | undefined) => {
    const at = fix?.capturedAt ?? Number.POSITIVE_INFINITY
    for (let one = erasures[next]; one !== undefined && one.from < at; one = erasures[++next]) {
      if (left !== undefined && one.from >= left.at) left = undefined
      if (arrival === null || one.from <= arrival) continue
      const isUncertain = fix !== undefined && circle !== undefined && isFarAfterSilence(circle, fix, lastFixAt)
      stays.push({ placeId, arrival, departure: one.from, heardUntil: isUncertain ? lastFixAt : null })
      arrival = null
      left = undefined
    }
  }
  for (const fix of fixes) {
    const { capturedAt } = fix
    if (capturedAt === instant) continue
    instant = capturedAt
    eraseBefore(fix)
    const previousFixAt = lastFixAt
    lastFixAt = capturedAt
    if (arrival !== null && circle !== undefined) {
      if (sideOf(circle, fix) !== "outside") continue
      const heardUntil = isFarAfterSilence(circle, fix, previousFixAt) ? previousFixAt : null
      stays.push({ placeId, arrival, departure: capturedAt, heardUntil })
      left = { arrival, circle, at: capturedAt, fixes: 0, lastAt: capturedAt }
      arrival = null
    }
    if (left !== undefined && isOver(left, capturedAt)) left = undefined
    const side = left === undefined ? undefined : sideOf(left.circle, fix)
    if (left !== undefined && side === "inside") {
      stays.pop()
      ;({ arrival, circle } = left)
      left = undefined
      continue
    }
    if (left !== undefined && side === "outside") left = { ...left, fixes: left.fixes + 1, lastAt: capturedAt }
    if (archivedAt !== null && capturedAt > archivedAt) continue
    const shape = Shape.validAt(shapes, capturedAt)
    if (shape !== undefined && sideOf(shape.circle, fix) === "inside") {
      arrival = capturedAt
      circle = shape.circle
      left = undefined
    }
  }
  eraseBefore(undefined)
  if (arrival !== null) stays.push({ placeId, arrival, departure: null, heardUntil: null })
  return stays
}

/**
 * The moment at which a derivation of the fixes from `from` on must begin. `heardAt` is the time of the device's last
 * fix before `from`. When a deleted stretch of history begins between `heardAt` and `from`, the derivation begins at
 * that stretch; otherwise at `from`. The reason: when the stretch cut a stay off, the first fix after the stretch
 * decides whether the departure of the stay is uncertain. So the derivation must begin while this stay is open, and end
 * the stay again.
 */
export const beginOf = (
  from: Timestamp,
  heardAt: Timestamp | null,
  erasures: ReadonlyArray<Erasure.Stretch>
): Timestamp =>
  heardAt === null ? from : (erasures.find((one) => one.from > heardAt && one.from < from)?.from ?? from)

/**
 * The stays at one place after more fixes. `known` are the stays that were derived from earlier fixes. `fixes` begin at
 * `from`, which is `FINAL_AFTER` or more before the first new fix.
 */
export const goOn = (
  ground: Ground,
  known: ReadonlyArray<Stay>,
  { from, heardAt }: { readonly from: Timestamp; readonly heardAt: Timestamp | null },
  fixes: Iterable<StayFix>,
  erasures: ReadonlyArray<Erasure.Stretch> = []
): ReadonlyArray<Stay> => {
  const begin = beginOf(from, heardAt, erasures)
  const begun = known.filter(({ arrival }) => arrival < begin)
  const last = begun.at(-1)
  const isOpen = last !== undefined && (last.departure === null || last.departure >= begin)
  const before = beforeOf(isOpen ? last : undefined, heardAt)
  return [...(isOpen ? begun.slice(0, -1) : begun), ...derive(ground, before, fixes, erasures)]
}

/** A stay that ended, and the fixes outside of its circle since its end. */
interface LeftStay {
  readonly arrival: Timestamp
  readonly circle: Geometry.Circle
  /** The time of the first fix outside the circle. */
  readonly at: Timestamp
  /** The time of the last fix outside the circle. */
  readonly lastAt: Timestamp
  /** The number of fixes outside the circle. */
  readonly fixes: number
}

/**
 * Whether the stay cannot go on, even if the fix at `capturedAt` is inside: the absence lasted `ABSENCE` or longer, and
 * was no jump (`JUMP`).
 */
const isOver = ({ at, fixes, lastAt }: LeftStay, capturedAt: Timestamp): boolean => {
  const isJump = fixes <= JUMP_FIXES && lastAt - at < ABSENCE && capturedAt - at < JUMP
  return capturedAt - at >= ABSENCE && !isJump
}

const sideOf = (circle: Geometry.Circle, fix: StayFix): Geometry.Side | undefined =>
  fix.isLeftBehind === true ? "outside" : Geometry.sideOf(circle, fix, fix.accuracyM)

const isFarAfterSilence = (
  circle: Geometry.Circle,
  fix: StayFix,
  previousFixAt: Timestamp | null
): previousFixAt is Timestamp =>
  previousFixAt !== null &&
  fix.capturedAt - previousFixAt >= SILENCE &&
  (fix.isLeftBehind === true ||
    Geometry.distanceM(circle, fix) - circle.radiusM - Geometry.bandM(fix.accuracyM) > FAR_M)
