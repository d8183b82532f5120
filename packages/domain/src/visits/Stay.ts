// Derives stays from fixes. Decisions visits-3, visits-4, visits-5, visits-10 and visits-11.
import type { Fix } from "../fixes/Fix.js"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { PlaceId } from "../shared/Ids.js"
import { HOUR, MINUTE, type Timestamp } from "../shared/Timestamp.js"

/** A device's time at a place (decision L10): from its first fix inside to the first fix of an absence. */
export interface Stay {
  readonly placeId: PlaceId
  readonly arrival: Timestamp
  /**
   * The time of the first fix that is clearly outside, or the start of a deleted stretch; null while the stay is open.
   */
  readonly departure: Timestamp | null
  /**
   * The time of the last fix before a long silence, after which the device was far away, so that it is unknown when the
   * device left. Null: the device was not silent, or not far away afterwards. Always null for an open stay.
   */
  readonly heardUntil: Timestamp | null
}

/** The fields of a fix that the derivation needs. */
export type StayFix = Pick<Fix, "capturedAt" | "lat" | "lon" | "accuracyM">

/** The fields of a place that the derivation needs. */
export interface Ground {
  readonly placeId: PlaceId
  /** The circles that the place has had, in the order of their versions. */
  readonly shapes: ReadonlyArray<Shape.Shape>
  readonly archivedAt: Timestamp | null
}

/** Milliseconds. Shorter stays are stored, because the next fix may make them longer, but no app sees them. */
export const MIN_STAY = 5 * MINUTE

/** Milliseconds. A shorter absence does not end a stay (amendment M15). */
export const ABSENCE = 2 * MINUTE

/**
 * Milliseconds. A jump is an absence with at most `JUMP_FIXES` fixes outside, less than `ABSENCE` apart, and a fix
 * inside before `JUMP` has passed. A jump does not end a stay: the fixes outside are probably wrong positions, because
 * a wrong position is usually a single fix.
 */
const JUMP = 10 * MINUTE
const JUMP_FIXES = 2

/**
 * Milliseconds. A stay that ended this long before the last known fix is final: a fix inside continues a stay only
 * after an absence that is shorter than this.
 */
export const FINAL_AFTER = JUMP

/**
 * Milliseconds. A device at rest sends little, and begins to send again within a kilometre of its place. So when a
 * device is silent for `SILENCE` and then farther than `FAR_M` metres from the edge, it was switched off, and nobody
 * knows when it left. A shorter silence shows nothing, because some apps send only once in some hours.
 */
export const SILENCE = 4 * HOUR
/** Metres from the edge of the circle, for the rule that `SILENCE` explains. */
export const FAR_M = 2_000

/**
 * The departure that answers show: the time of the last fix before a silence that makes the departure unknown, else the
 * departure.
 */
export const departureOf = ({ departure, heardUntil }: Pick<Stay, "departure" | "heardUntil">): Timestamp | null =>
  heardUntil ?? departure

/**
 * Whether a stay is long enough to be shown as a visit. `departure` is that of `departureOf`; an open stay lasts until
 * `now`.
 */
export const isLongEnough = (
  { arrival, departure }: { readonly arrival: Timestamp; readonly departure: Timestamp | null },
  now: Timestamp
): boolean => (departure ?? now) - arrival >= MIN_STAY

/** What earlier fixes showed, before the first fix of a derivation. */
export interface Before {
  /** The arrival of a stay that is open at the first fix; null: no stay is open. */
  readonly openSince: Timestamp | null
  /** The time of the device's last fix before the first fix of the derivation; null: there is none. */
  readonly heardAt: Timestamp | null
}

export const NOTHING_BEFORE: Before = { openSince: null, heardAt: null }

/**
 * `open` is the stored stay that is open at the first fix, and `heardAt` the time of the last fix before the first one.
 * When retention has deleted all fixes before the first one, an uncertain stay still has the time of its last fix.
 */
export const beforeOf = (
  open: Pick<Stay, "arrival" | "heardUntil"> | undefined,
  heardAt: Timestamp | null
): Before => ({
  openSince: open?.arrival ?? null,
  heardAt: heardAt ?? open?.heardUntil ?? null
})

/**
 * The stays at one place. `fixes` are the fixes of one device in the order of `Fix.byCapture`; of several fixes of one
 * instant the first one counts. `Before` describes the time before the first of these fixes. The result does not depend
 * on whether the fixes are given at once or in pieces.
 *
 * A stay keeps the circle with which it began, even when the user moves or archives the place. Fixes near the edge,
 * silence, an absence shorter than `ABSENCE` and a jump change nothing. To continue from a moment, give the fixes from
 * `FINAL_AFTER` before that moment.
 *
 * A deleted stretch ends a stay where the stretch begins. No stay goes on through a deleted stretch, because its fixes
 * are gone. A silence can make the departure unknown even when the silence contains a deleted stretch. `erasures` are
 * in order of time.
 */
export const derive = (
  { archivedAt, placeId, shapes }: Ground,
  { heardAt, openSince }: Before,
  fixes: Iterable<StayFix>,
  erasures: ReadonlyArray<Erasure.Stretch> = []
): ReadonlyArray<Stay> => {
  const stays: Array<Stay> = []
  let arrival = openSince
  let circle = openSince === null ? undefined : Shape.validAt(shapes, openSince)?.circle
  /** The last stay that ended. The stay goes on if a fix inside comes before `isOver` is true. */
  let left: Left | undefined
  let heard = heardAt
  let instant = Number.NEGATIVE_INFINITY
  let next = 0
  /** Applies the deleted stretches that begin before this fix; `fix` undefined: those after the last fix. */
  const eraseBefore = (fix: StayFix | undefined) => {
    const at = fix?.capturedAt ?? Number.POSITIVE_INFINITY
    for (let one = erasures[next]; one !== undefined && one.from < at; one = erasures[++next]) {
      if (left !== undefined && one.from >= left.at) left = undefined
      if (arrival === null || one.from <= arrival) continue
      const isUncertain = fix !== undefined && circle !== undefined && isFarAfterSilence(circle, fix, heard)
      stays.push({ placeId, arrival, departure: one.from, heardUntil: isUncertain ? heard : null })
      arrival = null
      left = undefined
    }
  }
  for (const fix of fixes) {
    const { accuracyM, capturedAt } = fix
    if (capturedAt === instant) continue
    instant = capturedAt
    eraseBefore(fix)
    const heardBefore = heard
    heard = capturedAt
    if (arrival !== null && circle !== undefined) {
      if (Geometry.sideOf(circle, fix, accuracyM) !== "outside") continue
      const heardUntil = isFarAfterSilence(circle, fix, heardBefore) ? heardBefore : null
      stays.push({ placeId, arrival, departure: capturedAt, heardUntil })
      left = { arrival, circle, at: capturedAt, fixes: 0, lastAt: capturedAt }
      arrival = null
    }
    if (left !== undefined && isOver(left, capturedAt)) left = undefined
    const side = left === undefined ? undefined : Geometry.sideOf(left.circle, fix, accuracyM)
    if (left !== undefined && side === "inside") {
      stays.pop()
      ;({ arrival, circle } = left)
      left = undefined
      continue
    }
    if (left !== undefined && side === "outside") left = { ...left, fixes: left.fixes + 1, lastAt: capturedAt }
    if (archivedAt !== null && capturedAt > archivedAt) continue
    const shape = Shape.validAt(shapes, capturedAt)
    if (shape !== undefined && Geometry.sideOf(shape.circle, fix, accuracyM) === "inside") {
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
 * fix before `from`. When a deleted stretch begins between `heardAt` and `from`, the derivation begins at that stretch;
 * otherwise at `from`. Only the next fix decides whether the departure of a stay that the stretch cut off is uncertain.
 * So the derivation must see this stay as open, and end it again.
 */
export const beginOf = (
  from: Timestamp,
  heardAt: Timestamp | null,
  erasures: ReadonlyArray<Erasure.Stretch>
): Timestamp =>
  heardAt === null ? from : (erasures.find((one) => one.from > heardAt && one.from < from)?.from ?? from)

/**
 * The stays at one place after more fixes: `known` are the stays derived from earlier fixes, and `fixes` begin at
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

/** A stay that ended, and the fixes outside since its end. */
interface Left {
  readonly arrival: Timestamp
  readonly circle: Geometry.Circle
  /** The time of the first fix outside. */
  readonly at: Timestamp
  /** The time of the last fix outside. */
  readonly lastAt: Timestamp
  /** The number of fixes outside. */
  readonly fixes: number
}

/** Whether the device has been away for too long for the stay to go on at this fix. */
const isOver = ({ at, fixes, lastAt }: Left, capturedAt: Timestamp): boolean => {
  const isJump = fixes <= JUMP_FIXES && lastAt - at < ABSENCE && capturedAt - at < JUMP
  return capturedAt - at >= ABSENCE && !isJump
}

const isFarAfterSilence = (
  circle: Geometry.Circle,
  fix: StayFix,
  heardBefore: Timestamp | null
): heardBefore is Timestamp =>
  heardBefore !== null &&
  fix.capturedAt - heardBefore >= SILENCE &&
  Geometry.distanceM(circle, fix) - circle.radiusM - Geometry.bandM(fix.accuracyM) > FAR_M
