import * as Geometry from "../places/Geometry.js"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Budget from "./Budget.js"

/**
 * The budget of an app's questions about areas that the app chooses. Each call of `verify-zone` and each new zone rule
 * is one question. Without a limit, an app could find out where somebody is by asking about many circles. So the
 * questions of one person and app share two budgets. An app may ask 20 questions in any hour; and over a day so few
 * that the person stays hidden in a town of 12 × 12 km. Decision M8 derives the second budget,
 * `test/support/zoneSearch.ts` attacks it, and decision limits-7 says what the budget does not protect.
 *
 * The second budget counts the square kilometres of the town in which the questions could find somebody to within 1 km.
 * A small circle adds its own area. The edge of a large circle can cut the remaining area in two, so each later
 * question is worth twice as much to a search. The count does not depend on the answers, so a refusal reveals nothing
 * about the person.
 */

/** A circle that an app asked about, with the time of the last question about it. */
export interface QueriedCircle extends Geometry.Circle {
  readonly askedAt: Timestamp
}

/** The questions that count for one person and app. They are plain data, so that a store can keep them as JSON. */
export interface ZoneQuestions {
  /** The times of the questions of the last hour, in order. */
  readonly calls: ReadonlyArray<Timestamp>
  /** The circles of the last day, ordered by their first question. */
  readonly circles: ReadonlyArray<QueriedCircle>
}

/** No questions yet. */
export const none: ZoneQuestions = { calls: [], circles: [] }

/** The time of the newest question; null when there is none. */
export const lastAt = ({ calls, circles }: ZoneQuestions): Timestamp | null => {
  const times = [...calls, ...circles.map(({ askedAt }) => askedAt)]
  return times.sort((a, b) => b - a)[0] ?? null
}

export type ZoneQuestionOutcome =
  /** `questions` are the questions that count from this moment on, the new question included. */
  | { readonly _tag: "Allowed"; readonly questions: ZoneQuestions }
  /** A refused question does not count. */
  | { readonly _tag: "Refused"; readonly retryAfterMillis: number }

/** The budget of zone questions in any hour (amendment M8). */
export const HOURLY: Budget.Budget = { name: "zone_questions", calls: 20, windowMillis: HOUR }

/** How long a question about a circle counts after the app last asked it, in milliseconds, inclusive. */
export const COUNTED_FOR = DAY

/**
 * The maximum area, in square kilometres, in which the questions of a day may find somebody. This is a third of a town
 * of 144 km², so two of three searches do not find a resting person to within 1 km (amendment M8).
 */
export const LOCATED_KM2_MAX = 48

/**
 * The largest radius, in metres, of a circle that counts by its area. A larger circle counts as a cut through the
 * remaining area, because its edge can divide that area.
 */
export const SMALL_RADIUS_M = 2_000

/**
 * The maximum distance, in metres, between the edges of circles that count together. A town of 12 × 12 km has a
 * diagonal of 17 km, so circles whose edges are further apart cannot both help to search one town.
 */
export const TOWN_M = 17_000

/**
 * The area, in square kilometres, of a circle with a radius of 1 km. An app that guesses a point without asking is
 * right to within 1 km for a person in this area around the point. So each remaining piece of the town counts this area
 * too.
 */
const KM2_WITHIN_1_KM = Math.PI

/**
 * The largest accuracy, in metres, of a fix that answers a question about a zone. So this is the width of the widest
 * band around the edge of a zone in which the answer is "unknown". The band counts as part of a small circle's area.
 */
export const MAX_BAND_M = 200

/**
 * Whether a fix of this accuracy answers no question about a zone: `verify-zone` ignores the fix, and apps do not read
 * how a zone rule evaluated it. Zone rules evaluate the fix (Spec §4.6.2).
 */
export const isTooCoarse = (accuracyM: number | null | undefined): boolean => Geometry.bandM(accuracyM) > MAX_BAND_M

/** Whether one more question is allowed, and which questions count afterwards. */
export const ask = (before: ZoneQuestions, circle: Geometry.Circle, now: Timestamp): ZoneQuestionOutcome => {
  const hour = Budget.spend(HOURLY, before.calls, now)
  const hourMillis = hour._tag === "Refused" ? hour.retryAfterMillis : 0
  // The day is checked for the moment when the hour has room. While the app waits for that moment, the question may
  // stop being a repeated one, and then it must fit into the day like a new question.
  const dayMillis = waitOfDay(before.circles, circle, plus(now, hourMillis))
  if (hour._tag === "Refused" || dayMillis > 0) return { _tag: "Refused", retryAfterMillis: hourMillis + dayMillis }
  const counting = countingAt(before.circles, now)
  const repeated = counting.findIndex((earlier) => isSame(earlier, circle))
  const { lat, lon, radiusM } = circle
  const question: QueriedCircle = { lat, lon, radiusM, askedAt: now }
  const circles = repeated === -1 ? [...counting, question] : counting.with(repeated, question)
  return { _tag: "Allowed", questions: { calls: hour.calls, circles } }
}

/**
 * Whether two questions are about the same circle. A repeated question counts only once in the day's budget, because it
 * reveals nothing new about a resting person.
 */
const isSame = (one: Geometry.Circle, other: Geometry.Circle): boolean =>
  one.lat === other.lat && one.lon === other.lon && one.radiusM === other.radiusM

const countingAt = (circles: ReadonlyArray<QueriedCircle>, at: Timestamp): ReadonlyArray<QueriedCircle> =>
  circles.filter(({ askedAt }) => at - askedAt <= COUNTED_FOR)

/** The milliseconds from `at` until the day's budget allows a question about the circle; 0 when it does so at `at`. */
const waitOfDay = (circles: ReadonlyArray<QueriedCircle>, circle: Geometry.Circle, at: Timestamp): number => {
  const counting = countingAt(circles, at)
  if (counting.some((earlier) => isSame(earlier, circle))) return 0
  const near = counting.filter((earlier) => edgeDistanceM(earlier, circle) <= TOWN_M)
  if (fits(near, circle)) return 0
  const endings = near.map(({ askedAt }) => askedAt).sort((a, b) => a - b)
  const last = endings.find((end) =>
    fits(
      near.filter(({ askedAt }) => askedAt > end),
      circle
    )
  )
  // A circle always fits when no other circle counts. So `find` finds a time, at the latest the last of `endings`.
  return last === undefined ? COUNTED_FOR : last + COUNTED_FOR + 1 - at
}

const fits = (near: ReadonlyArray<Geometry.Circle>, circle: Geometry.Circle): boolean =>
  locatedKm2([...near, circle]) <= LOCATED_KM2_MAX

/**
 * The largest area of a town, in square kilometres, in which these questions, asked in this order, could find somebody
 * to within 1 km. This maximum also holds for a search that chooses each question after the earlier answers.
 */
export const locatedKm2 = (circles: ReadonlyArray<Geometry.Circle>): number => {
  let [located, pieces] = [0, 1]
  for (const { radiusM } of circles) {
    if (radiusM <= SMALL_RADIUS_M) located += pieces * areaKm2(radiusM)
    else pieces *= 2
  }
  return located + pieces * KM2_WITHIN_1_KM
}

/** The area in square kilometres of a circle and of the widest band around its edge where the answer is "unknown". */
const areaKm2 = (radiusM: number): number => Math.PI * ((radiusM + MAX_BAND_M) / 1_000) ** 2

/** The distance in metres between the nearest points of two edges. */
const edgeDistanceM = (one: Geometry.Circle, other: Geometry.Circle): number => {
  const apart = Geometry.distanceM(one, other)
  return Math.max(0, apart - one.radiusM - other.radiusM, Math.abs(one.radiusM - other.radiusM) - apart)
}
