import * as Geometry from "../places/Geometry.js"
import { DAY, HOUR, type Timestamp } from "../shared/Timestamp.js"
import * as Budget from "./Budget.js"

/**
 * What an app may ask about areas of its own: each call of `verify-zone` and each new zone rule is one question. An app that asks
 * freely finds out where somebody is, so the questions of one person and app share two budgets: 20 in any hour, and over a day as
 * many as leave the person hidden in a town of 12 × 12 km. `docs/decisions/limits.md` derives the second one, and
 * `test/support/zoneSearch.ts` attacks it.
 *
 * The idea: a question is an edge through the town. Count the square kilometres in which a search could find somebody to
 * within 1 km. A small circle adds its own area. A large circle can cut everything that is still possible in two, so each
 * question after it is worth twice as much to a search. Nothing depends on the answers: a refusal tells nothing about the person.
 */

/** A circle that was asked about, and when that happened last. */
export interface AskedCircle extends Geometry.Circle {
  readonly askedAt: Timestamp
}

/** What counts of one person and app. Plain data, so that a store can keep it as JSON. */
export interface ZoneQuestions {
  /** Of the last hour, in order of time. */
  readonly calls: ReadonlyArray<Timestamp>
  /** Of the last day, in the order in which each was asked about first. */
  readonly circles: ReadonlyArray<AskedCircle>
}

/** Of an app that has asked nothing yet. */
export const none: ZoneQuestions = { calls: [], circles: [] }

/** When the last question was asked, which counts for longest. */
export const lastAt = ({ calls, circles }: ZoneQuestions): Timestamp | null => {
  const times = [...calls, ...circles.map(({ askedAt }) => askedAt)]
  return times.sort((a, b) => b - a)[0] ?? null
}

export type Asking =
  /** `questions`: what counts from here on, this one included. */
  | { readonly _tag: "Asked"; readonly questions: ZoneQuestions }
  /** Counts for nothing. */
  | { readonly _tag: "Refused"; readonly retryAfterMillis: number }

/** Amendment M8. */
export const HOURLY: Budget.Budget = { name: "zone_questions", calls: 20, windowMillis: HOUR }

/** A question counts for the day until this long after it was asked last, the instant included. */
export const COUNTED_FOR = DAY

/** Less than half of a town of 144 km²: whoever sits still is found to within 1 km in fewer than half of all cases. */
export const LOCATED_KM2_MAX = 48

/** The largest circle that counts by its area. A larger one counts as a cut. */
export const SMALL_RADIUS_M = 2_000

/** Two edges further apart than this do not both lie in one town: its diagonal is 17 km. */
export const TOWN_M = 17_000

/** What a guess covers when nothing else is known: a disc of 1 km. */
const KM2_WITHIN_1_KM = Math.PI

/** Whether one more question may be asked, and what counts afterwards. */
export const ask = (before: ZoneQuestions, circle: Geometry.Circle, now: Timestamp): Asking => {
  const hour = Budget.spend(HOURLY, before.calls, now)
  const counting = before.circles.filter(({ askedAt }) => now - askedAt <= COUNTED_FOR)
  const repeated = counting.findIndex((asked) => isSame(asked, circle))
  const dayMillis = repeated === -1 ? waitOfDay(counting, circle, now) : 0
  if (hour._tag === "Refused" || dayMillis > 0) {
    const hourMillis = hour._tag === "Refused" ? hour.retryAfterMillis : 0
    return { _tag: "Refused", retryAfterMillis: Math.max(hourMillis, dayMillis) }
  }
  const { lat, lon, radiusM } = circle
  const asked: AskedCircle = { lat, lon, radiusM, askedAt: now }
  const circles = repeated === -1 ? [...counting, asked] : counting.with(repeated, asked)
  return { _tag: "Asked", questions: { calls: hour.calls, circles } }
}

/** The same circle again tells nothing new about somebody who sits still. */
const isSame = (one: Geometry.Circle, other: Geometry.Circle): boolean =>
  one.lat === other.lat && one.lon === other.lon && one.radiusM === other.radiusM

/** How long until the circle fits into the day's budget: 0 when it does already. */
const waitOfDay = (counting: ReadonlyArray<AskedCircle>, circle: Geometry.Circle, now: Timestamp): number => {
  const near = counting.filter((asked) => edgeDistanceM(asked, circle) <= TOWN_M)
  if (fits(near, circle)) return 0
  const endings = near.map(({ askedAt }) => askedAt).sort((a, b) => a - b)
  const last = endings.find((end) =>
    fits(
      near.filter(({ askedAt }) => askedAt > end),
      circle
    )
  )
  // A circle alone always fits, so there is such a moment.
  return last === undefined ? COUNTED_FOR : last + COUNTED_FOR + 1 - now
}

const fits = (near: ReadonlyArray<Geometry.Circle>, circle: Geometry.Circle): boolean =>
  locatedKm2([...near, circle]) <= LOCATED_KM2_MAX

/**
 * In how many square kilometres of a town somebody could be found to within 1 km, at most, by questions in this order, however
 * each follows from the answers before.
 */
export const locatedKm2 = (circles: ReadonlyArray<Geometry.Circle>): number => {
  let [located, pieces] = [0, 1]
  for (const { radiusM } of circles) {
    if (radiusM <= SMALL_RADIUS_M) located += pieces * areaKm2(radiusM)
    else pieces *= 2
  }
  return located + pieces * KM2_WITHIN_1_KM
}

/** With the band around the edge, in which the answer is "unknown". */
const areaKm2 = (radiusM: number): number => Math.PI * ((radiusM + Geometry.MIN_BAND_M) / 1_000) ** 2

/** Between the nearest points of two edges. */
const edgeDistanceM = (one: Geometry.Circle, other: Geometry.Circle): number => {
  const apart = Geometry.distanceM(one, other)
  return Math.max(0, apart - one.radiusM - other.radiusM, Math.abs(one.radiusM - other.radiusM) - apart)
}
