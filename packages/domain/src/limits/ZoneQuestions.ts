import * as Geometry from "../places/Geometry.js"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"
import * as Budget from "./Budget.js"

/**
 * The budget of an app's questions about areas that the app chooses. Each call of `verify-zone` and each new zone rule
 * is one question. Without a limit, an app could find out where somebody is by asking about many circles. So the
 * questions of one person and app share two budgets. The first budget allows 20 questions in any hour. The second
 * budget allows so few questions in a day that a person in a town of 12 × 12 km stays hidden. A zone rule whose window
 * opens later counts twice: for the 24 hours after the app makes the rule, and for the 24 hours after the window opens,
 * because the app gets answers from then on.
 *
 * Decision M8 derives the second budget, `test/support/zoneSearch.ts` attacks it, and decision limits-7 says what the
 * budget does not protect.
 *
 * The second budget counts the square kilometres of the town in which the questions could find somebody to within 1 km.
 * A small circle adds its own area. The edge of a large circle can divide the area where the person may be into two
 * parts, so that each later question helps a search twice as much. The count does not depend on the answers, so a
 * refusal reveals nothing about the person.
 */

/**
 * A circle that an app asked about. `askedAt`: when the app last asked about it, or the future time at which the window
 * of a zone rule about it opens.
 */
export interface QueriedCircle extends Geometry.Circle {
  readonly askedAt: Timestamp
}

/** The questions that count for one person and app. They are plain data, so that a store can keep them as JSON. */
export interface ZoneQuestions {
  /** The times of the questions of the last hour, in order. */
  readonly calls: ReadonlyArray<Timestamp>
  /**
   * The circles that the app asked about in the last day, and the circles of zone rules whose windows open later,
   * ordered by the first question about each. A circle that counts at several times has an entry for each time. The
   * entries of one circle follow each other.
   */
  readonly circles: ReadonlyArray<QueriedCircle>
}

/** No questions yet. */
export const none: ZoneQuestions = { calls: [], circles: [] }

/**
 * The time of the newest question, or of the last opening of a rule's window if the opening is later; null when there
 * is neither.
 */
export const lastAt = ({ calls, circles }: ZoneQuestions): Timestamp | null => {
  const times = [...calls, ...circles.map(({ askedAt }) => askedAt)]
  return times.sort((a, b) => b - a)[0] ?? null
}

export type ZoneQuestionOutcome =
  /**
   * `questions`: the questions that count from now on, the new question included. Store them in place of the earlier
   * ones.
   */
  | { readonly _tag: "Allowed"; readonly questions: ZoneQuestions }
  /** A refused question does not count. */
  | { readonly _tag: "Refused"; readonly retryAfterMillis: number }

/** The budget of zone questions in any hour (amendment M8). */
export const HOURLY: Budget.Budget = { name: "zone_questions", calls: 20, windowMillis: HOUR }

/**
 * How long a question about a circle counts after the app last asked it, in milliseconds. At the end it still counts.
 */
export const COUNTED_FOR = DAY

/**
 * The maximum area, in square kilometres, in which the questions of a day may find somebody. This is a third of a town
 * of 144 km², so two of three searches do not find a resting person to within 1 km (amendment M8).
 */
export const LOCATED_KM2_MAX = 48

/**
 * The largest radius, in metres, of a circle that counts by its area. A larger circle counts as a cut through the area
 * where the person may be, because its edge can divide that area.
 */
export const SMALL_RADIUS_M = 2_000

/**
 * Circles count together when the distance between their edges is at most this, in metres. A town of 12 × 12 km has a
 * diagonal of 17 km, so circles whose edges are further apart cannot both help to search one town.
 */
export const TOWN_M = 17_000

/**
 * The area, in square kilometres, of a circle with a radius of 1 km. When an app guesses a point without asking, the
 * guess is right to within 1 km if the person is in this area around the point. So each piece into which large circles
 * divide the town adds this area to the count.
 */
const KM2_WITHIN_1_KM = Math.PI

/**
 * The largest accuracy, in metres, of a fix that answers a question about a zone. The answer is "unknown" in a band
 * around the edge of the zone, which is as wide as the accuracy of the fix, or 50 m. So this is the width of the widest
 * band. The area of a small circle includes this band.
 */
export const MAX_BAND_M = 200

/**
 * Whether a fix of this accuracy answers no question about a zone: `verify-zone` ignores the fix. Zone rules do
 * evaluate the fix (Spec §4.6.2), but apps read none of these evaluations except firings (`RecentEvaluations.forApp`).
 */
export const isTooCoarse = (accuracyM: number | null | undefined): boolean => Geometry.bandM(accuracyM) > MAX_BAND_M

/**
 * The maximum number of zone rules' windows that open in the future, for one person and app. Without this limit, an app
 * could make and delete rules about circles far from each other, and the stored list would grow. To find out how long a
 * refused app must wait, the code tries each opening. At each opening it checks all spans of 24 hours that include this
 * opening and begin with an opening, and for each span it reads all openings. So the time that a refusal takes grows
 * with the cube of this number.
 */
export const WAITING_MAX = 50

/**
 * Whether one more question is allowed, and which questions count afterwards. `opensAt` is for a zone rule: the opening
 * of its window, or null. An opening before `now` has no effect.
 */
export const ask = (
  before: ZoneQuestions,
  circle: Geometry.Circle,
  now: Timestamp,
  opensAt: Timestamp | null = null
): ZoneQuestionOutcome => {
  const hour = Budget.spend(HOURLY, before.calls, now)
  const hourMillis = hour._tag === "Refused" ? hour.retryAfterMillis : 0
  // The day's budget is checked for the moment when the hour's budget has room. While the app waits for that moment, an
  // earlier question about the same circle may stop counting. Then the question is no longer a repeated question, and
  // must fit into the day's budget like a new question.
  const dayMillis = waitOfDay(before.circles, circle, plus(now, hourMillis), opensAt)
  if (hour._tag === "Refused" || dayMillis > 0) return { _tag: "Refused", retryAfterMillis: hourMillis + dayMillis }
  const circles = withQuestion(countingAt(before.circles, now), circle, timesOf(now, opensAt))
  return { _tag: "Allowed", questions: { calls: hour.calls, circles } }
}

/**
 * A question that is asked at `now` counts for a day from each of these times: `now`, and a later opening of the
 * window.
 */
const timesOf = (now: Timestamp, opensAt: Timestamp | null): ReadonlyArray<Timestamp> =>
  opensAt !== null && opensAt > now ? [now, opensAt] : [now]

/**
 * The circles with one more question. A circle that is listed already keeps its place in the order, because the app
 * chose the circle at its first question. The circle's times before the new question are removed, because they make no
 * difference: if a span of 24 hours includes such a time, and further questions can still be added to the span, the
 * span also includes the new question.
 */
const withQuestion = (
  counting: ReadonlyArray<QueriedCircle>,
  { lat, lon, radiusM }: Geometry.Circle,
  times: ReadonlyArray<Timestamp>
): ReadonlyArray<QueriedCircle> => {
  const [now] = times
  const isRepeated = (one: Geometry.Circle) => isSame(one, { lat, lon, radiusM })
  const later = counting.filter((one) => isRepeated(one) && now !== undefined && one.askedAt > now)
  const all = new Set([...times, ...later.map(({ askedAt }) => askedAt)])
  const entries = [...all].map((askedAt): QueriedCircle => ({ lat, lon, radiusM, askedAt }))
  const first = counting.findIndex(isRepeated)
  const place = first === -1 ? counting.length : first
  return [...counting.slice(0, place), ...entries, ...counting.slice(place).filter((one) => !isRepeated(one))]
}

/**
 * Whether two questions are about the same circle. A repeated question counts only once in the day's budget, because it
 * reveals nothing new about a resting person.
 */
const isSame = (one: Geometry.Circle, other: Geometry.Circle): boolean =>
  one.lat === other.lat && one.lon === other.lon && one.radiusM === other.radiusM

/**
 * The circles that count at `at`: the circles of questions in the day before `at`, and the circles of zone rules whose
 * windows open after `at`.
 */
const countingAt = (circles: ReadonlyArray<QueriedCircle>, at: Timestamp): ReadonlyArray<QueriedCircle> =>
  circles.filter(({ askedAt }) => at - askedAt <= COUNTED_FOR)

/** The milliseconds from `at` until the day's budget allows the question; 0 when it does so at `at`. */
const waitOfDay = (
  circles: ReadonlyArray<QueriedCircle>,
  circle: Geometry.Circle,
  at: Timestamp,
  opensAt: Timestamp | null
): number => {
  const near = circles.filter((earlier) => edgeDistanceM(earlier, circle) <= TOWN_M)
  const isAllowedAt = (now: Timestamp): boolean => {
    const times = timesOf(now, opensAt)
    const hasRoom = times.length === 1 || circles.filter(({ askedAt }) => askedAt > now).length < WAITING_MAX
    return hasRoom && times.every((time) => fits(countingAt(near, now), circle, time))
  }
  if (isAllowedAt(at)) return 0
  // Only at these times can a refused question become allowed: when a circle stops counting, or when a window opens.
  const changes = [...near.map(({ askedAt }) => plus(askedAt, COUNTED_FOR + 1)), ...circles.map((one) => one.askedAt)]
  const later = [...changes, ...(opensAt === null ? [] : [opensAt])].filter((change) => change > at)
  // After the last of these times no earlier circle counts, so the new circle fits into the budget, and `find` finds a
  // time.
  const allowed = later.sort((a, b) => a - b).find(isAllowedAt)
  return allowed === undefined ? COUNTED_FOR : allowed - at
}

/** Whether the circle fits into the day's budget in every span of 24 hours that includes `time`. */
const fits = (near: ReadonlyArray<QueriedCircle>, circle: Geometry.Circle, time: Timestamp): boolean => {
  const starts = near.map(({ askedAt }) => askedAt).filter((start) => start <= time && time - start <= COUNTED_FOR)
  return [...starts, time].every((start) => {
    const isWithin = ({ askedAt }: QueriedCircle) => askedAt >= start && askedAt - start <= COUNTED_FOR
    const within = near.filter(isWithin)
    if (within.some((earlier) => isSame(earlier, circle))) return true
    return locatedKm2(distinct(withQuestion(near, circle, [time]).filter(isWithin))) <= LOCATED_KM2_MAX
  })
}

/** Each circle once, at its first place. All entries of a circle follow each other. */
const distinct = (circles: ReadonlyArray<QueriedCircle>): ReadonlyArray<QueriedCircle> =>
  circles.filter((one, index) => {
    const before = circles[index - 1]
    return before === undefined || !isSame(before, one)
  })

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

/** The distance in metres between the nearest points of the edges of two circles. */
const edgeDistanceM = (one: Geometry.Circle, other: Geometry.Circle): number => {
  const apart = Geometry.distanceM(one, other)
  return Math.max(0, apart - one.radiusM - other.radiusM, Math.abs(one.radiusM - other.radiusM) - apart)
}
