import { Geometry } from "@place-access/domain/places"
import { Rule } from "@place-access/domain/rules"
import { Effect } from "effect"
import type { Log } from "./Log.js"
import type { ReplayOptions } from "./options.js"
import { replayLog, type Replayed, type ReplayedFiring } from "./replayLog.js"
import { stayPoints } from "./StayPoints.js"

/**
 * Measures how accurate the output of a replay is. The measurement does not use the rules of the service. A reading
 * counts if its accuracy is `ACCURATE_M` or better and its distance from the edge of the circle is more than `EDGE_M`:
 * it shows on which side of the circle the phone was. A side is confirmed when the next two such readings are on that
 * side too.
 */

/** A log, with the places for which its replay is measured. */
export interface MeasuredLog {
  readonly log: Log
  readonly circles: ReadonlyArray<Geometry.Circle>
}

/** The figures of all logs together. */
export interface ReplayFigures {
  readonly logs: number
  readonly places: number
  readonly crossings: CrossingFigures
  readonly dwell: DwellFigures
  readonly visits: VisitFigures
}

interface CrossingFigures {
  readonly sent: number
  /**
   * Crossings that were sent and whose next two accurate readings were on the new side. `sent` leaves out crossings
   * with fewer than two accurate readings after them.
   */
  readonly confirmed: number
  /**
   * Crossings that the readings show: at least three accurate readings in a row are on one side, and then at least
   * three in a row on the other. `realSent` counts the crossings among them that were sent.
   */
  readonly real: number
  readonly realSent: number
  readonly delaysS: ReadonlyArray<number>
}

interface DwellFigures {
  /**
   * The number of stays that last at least the rule's dwell time. A stay lasts from the first reading inside to the
   * next reading outside. `sent` counts the stays in which the rule fired.
   */
  readonly stays: number
  readonly sent: number
  /**
   * The number of stays in which a reading at or after the end of the dwell time was inside the circle. `seenSent`
   * counts those of these stays in which the rule fired.
   */
  readonly seen: number
  readonly seenSent: number
  readonly delaysMin: ReadonlyArray<number>
  readonly verdicts: Readonly<Record<DwellVerdict, number>>
}

/**
 * Whether the phone was still inside when a dwell event occurred (`occurredAt`: the time of the reading that fired the
 * rule, or the end of the dwell time when silence fired the rule).
 * - seen: a reading from exactly that time was inside, or the next reading was inside;
 * - gone: the last reading up to that time was outside, or the next reading is so far from the circle that the phone
 *   must have left before that time (`FASTEST`);
 * - unseen: the readings show neither.
 */
type DwellVerdict = "seen" | "unseen" | "gone"

interface VisitFigures {
  readonly stays: number
  readonly found: number
  readonly visits: number
  /** Visits that begin less than 10 minutes after the end of the previous visit to the same place. */
  readonly split: number
}

const ACCURATE_M = 100
/** The distance from the edge, in meters, within which a reading does not show the side well enough. */
const EDGE_M = 50
const MINUTE = 60_000

interface Sighting {
  readonly at: number
  readonly isInside: boolean
  /** The distance from the edge of the circle. */
  readonly metres: number
}

const sightings = (log: Log, circle: Geometry.Circle): ReadonlyArray<Sighting> => {
  const seen = new Set<number>()
  return log.readings
    .map(({ reading }) => reading)
    .filter(({ accuracyM }) => accuracyM != null && accuracyM > 0 && accuracyM <= ACCURATE_M)
    .sort((a, b) => a.capturedAt - b.capturedAt)
    .filter(({ capturedAt }) => seen.size !== seen.add(capturedAt).size)
    .filter((reading) => Math.abs(Geometry.distanceM(circle, reading) - circle.radiusM) > EDGE_M)
    .map((reading) => ({
      at: reading.capturedAt,
      isInside: Geometry.distanceM(circle, reading) <= circle.radiusM,
      metres: Math.abs(Geometry.distanceM(circle, reading) - circle.radiusM)
    }))
}

/** Replays all logs and measures the results. */
export const figuresOf = (
  logs: ReadonlyArray<MeasuredLog>,
  options: Pick<ReplayOptions, "dwellMinutes" | "settleS" | "silenceS">,
  /**
   * A dwell that fires at a time without an accurate reading, for example because of silence, counts only if `evidence`
   * returns true. The service itself requires no evidence.
   */
  evidence: Evidence = () => true
): Effect.Effect<ReplayFigures> =>
  Effect.gen(function* () {
    const all = []
    for (const { circles, log } of logs) {
      const replayed = yield* Effect.orDie(replayLog(log, { circles, ...options }))
      all.push(
        ...circles.map((circle, index) => measured(log, circle, index + 1, replayed, options.dwellMinutes, evidence))
      )
    }
    return {
      logs: logs.length,
      places: all.length,
      crossings: {
        sent: sum(all, (one) => one.crossings.sent),
        confirmed: sum(all, (one) => one.crossings.confirmed),
        real: sum(all, (one) => one.crossings.real),
        realSent: sum(all, (one) => one.crossings.realSent),
        delaysS: all.flatMap((one) => one.crossings.delaysS)
      },
      dwell: {
        stays: sum(all, (one) => one.dwell.stays),
        sent: sum(all, (one) => one.dwell.sent),
        seen: sum(all, (one) => one.dwell.seen),
        seenSent: sum(all, (one) => one.dwell.seenSent),
        delaysMin: all.flatMap((one) => one.dwell.delaysMin),
        verdicts: {
          seen: sum(all, (one) => one.dwell.verdicts.seen),
          unseen: sum(all, (one) => one.dwell.verdicts.unseen),
          gone: sum(all, (one) => one.dwell.verdicts.gone)
        }
      },
      visits: {
        stays: sum(all, (one) => one.visits.stays),
        found: sum(all, (one) => one.visits.found),
        visits: sum(all, (one) => one.visits.visits),
        split: sum(all, (one) => one.visits.split)
      }
    }
  })

const sum = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number => all.reduce((total, one) => total + of(one), 0)

/** Whether the readings support a dwell event that fired at `occurredAt` because the phone was silent. */
type Evidence = (seen: ReadonlyArray<Sighting>, occurredAt: number) => boolean

const measured = (
  log: Log,
  circle: Geometry.Circle,
  place: number,
  replayed: Replayed,
  dwellMinutes: number,
  evidence: Evidence
) => {
  const seen = sightings(log, circle)
  const fired = replayed.firings.filter((one) => one.place === place)
  return {
    crossings: crossingFigures(
      seen,
      fired.filter(({ type }) => Rule.PROPERTIES[type].firesOnCrossing)
    ),
    dwell: dwellFigures(
      seen,
      fired.filter(
        ({ occurredAt, type }) =>
          Rule.PROPERTIES[type].hasDwellTime && (seen.some(({ at }) => at === occurredAt) || evidence(seen, occurredAt))
      ),
      dwellMinutes
    ),
    visits: visitFigures(
      log,
      circle,
      replayed.visits.filter((one) => one.place === place)
    )
  }
}

/** Whether the two readings after `from` are on the side `isInside`; undefined when the log ends before them. */
const isConfirmed = (seen: ReadonlyArray<Sighting>, from: number, isInside: boolean): boolean | undefined => {
  const next = seen.filter(({ at }) => at > from).slice(0, 2)
  return next.length < 2 ? undefined : next.every((one) => one.isInside === isInside)
}

const endsInside = ({ type }: ReplayedFiring): boolean => Rule.PROPERTIES[type].side === "inside"

const crossingFigures = (seen: ReadonlyArray<Sighting>, fired: ReadonlyArray<ReplayedFiring>): CrossingFigures => {
  const judged = fired.flatMap((firing) => {
    const confirmed = isConfirmed(seen, firing.occurredAt, endsInside(firing))
    return confirmed === undefined ? [] : [{ ...firing, confirmed }]
  })
  const real = realCrossings(seen)
  const sent = real.filter(({ after, isInside, until }) =>
    fired.some((one) => endsInside(one) === isInside && one.occurredAt > after && one.occurredAt <= until)
  )
  return {
    sent: judged.length,
    confirmed: judged.filter(({ confirmed }) => confirmed).length,
    real: real.length,
    realSent: sent.length,
    delaysS: judged
      .filter(({ confirmed }) => confirmed)
      .map(({ occurredAt, storedAt }) => (storedAt - occurredAt) / 1_000)
  }
}

interface RealCrossing {
  /** The time of the last reading on the side before the crossing. Runs of fewer than three readings are ignored. */
  readonly after: number
  /** The time of the last reading on the side after the crossing. Runs of fewer than three readings are ignored. */
  readonly until: number
  readonly isInside: boolean
}

/**
 * Finds changes between sides where at least three readings in a row (a run) are on each side. Ignores shorter runs.
 */
const realCrossings = (seen: ReadonlyArray<Sighting>): ReadonlyArray<RealCrossing> => {
  const runs: Array<{ readonly isInside: boolean; readonly from: number; until: number; size: number }> = []
  for (const { at, isInside } of seen) {
    const run = runs.at(-1)
    if (run !== undefined && run.isInside === isInside) {
      run.until = at
      run.size++
    } else runs.push({ isInside, from: at, until: at, size: 1 })
  }
  const confirmed: Array<{ readonly isInside: boolean; until: number }> = []
  for (const run of runs.filter(({ size }) => size >= 3)) {
    const before = confirmed.at(-1)
    if (before !== undefined && before.isInside === run.isInside) before.until = run.until
    else confirmed.push({ isInside: run.isInside, until: run.until })
  }
  return confirmed.slice(1).map(({ isInside, until }, index) => ({
    isInside,
    until,
    after: confirmed[index]?.until ?? 0
  }))
}

/**
 * Compares dwells that fired with the stays that last at least the rule's dwell time. A stay lasts from the first
 * accurate reading inside to the next accurate reading outside. The stay counts as seen when a reading inside came at
 * or after the end of the dwell time: without that reading, the phone may have left before.
 */
const dwellFigures = (
  seen: ReadonlyArray<Sighting>,
  fired: ReadonlyArray<ReplayedFiring>,
  minutes: number
): DwellFigures => {
  const stays: Array<{ readonly from: number; lastInside: number; until: number }> = []
  seen.forEach(({ at, isInside }, index) => {
    const stay = stays.at(-1)
    const goesOn = seen[index - 1]?.isInside === true
    if (isInside && !goesOn) stays.push({ from: at, lastInside: at, until: at })
    else if (stay !== undefined && isInside) stay.lastInside = stay.until = at
    else if (stay !== undefined && goesOn) stay.until = at
  })
  const long = stays.filter(({ from, until }) => until - from >= minutes * MINUTE)
  const sure = long.filter(({ from, lastInside }) => lastInside - from >= minutes * MINUTE)
  const firingIn = ({ from, until }: (typeof stays)[number]) =>
    fired.find(({ occurredAt }) => occurredAt >= from && occurredAt <= until)
  const late = long.flatMap((stay) => {
    const firing = firingIn(stay)
    return firing === undefined ? [] : [(firing.storedAt - stay.from) / MINUTE - minutes]
  })
  return {
    stays: long.length,
    sent: late.length,
    seen: sure.length,
    seenSent: sure.filter((stay) => firingIn(stay) !== undefined).length,
    delaysMin: late,
    verdicts: verdictsOf(seen, fired)
  }
}

/** The fastest that a phone moves away from a place in a straight line, in meters a second: 108 km/h. */
const FASTEST = 30

const verdictsOf = (seen: ReadonlyArray<Sighting>, fired: ReadonlyArray<ReplayedFiring>): DwellFigures["verdicts"] => {
  const verdicts = { seen: 0, unseen: 0, gone: 0 }
  for (const { occurredAt } of fired) {
    const [before, next] = [seen.findLast(({ at }) => at <= occurredAt), seen.find(({ at }) => at > occurredAt)]
    // A reading inside the circle at exactly the time `occurredAt` is the reading that fired the rule.
    if (next?.isInside === true || (before?.isInside === true && before.at === occurredAt)) verdicts.seen++
    else if (before?.isInside === false) verdicts.gone++
    else if (next !== undefined && next.metres > ((next.at - occurredAt) / 1_000) * FASTEST) verdicts.gone++
    else verdicts.unseen++
  }
  return verdicts
}

/**
 * Whether the phone was silent at this place for as long once before. The silence that fired the rule lasted from the
 * last reading before the firing until the firing. True if two consecutive earlier readings, both inside, are at least
 * this time apart.
 */
const hasHabit: Evidence = (seen, occurredAt) => {
  const last = seen.findLastIndex(({ at }) => at <= occurredAt)
  const silence = occurredAt - (seen[last]?.at ?? occurredAt)
  return seen.some(({ at, isInside }, index) => {
    const next = seen[index + 1]
    return index < last && isInside && next?.isInside === true && next.at - at >= silence
  })
}

/** Whether the last two readings were inside. A single reading inside may come from a phone that only passes by. */
const hasTwoInside: Evidence = (seen, occurredAt) => {
  const last = seen.findLastIndex(({ at }) => at <= occurredAt)
  return seen[last]?.isInside === true && seen[last - 1]?.isInside === true
}

const visitFigures = (log: Log, circle: Geometry.Circle, visits: Replayed["visits"]): VisitFigures => {
  // A stay near the edge of the circle need not be a visit, so only stays within half the radius are compared.
  const stays = stayPoints(log.readings).filter((stay) => Geometry.distanceM(stay, circle) <= circle.radiusM / 2)
  const found = stays.filter((stay) =>
    visits.some(({ arrival, departure }) => arrival < stay.until && (departure ?? Infinity) > stay.from)
  )
  const split = visits.filter(({ arrival }, index) => {
    const left = visits[index - 1]?.departure ?? null
    return left !== null && arrival - left < 10 * MINUTE
  })
  return { stays: stays.length, found: found.length, visits: visits.length, split: split.length }
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? "none" : `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`

const median = (values: ReadonlyArray<number>): string => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  return middle === undefined ? "none" : middle.toFixed(1)
}

export const figuresText = ({ crossings, dwell, logs, places, visits }: ReplayFigures): string =>
  [
    `${logs} logs, ${places} places`,
    `crossings: ${percent(crossings.confirmed, crossings.sent)} of what was told is confirmed by the next two readings`,
    `  real crossings told: ${percent(crossings.realSent, crossings.real)}; told after ${median(crossings.delaysS)} s (median)`,
    `dwell: told for ${percent(dwell.sent, dwell.stays)} stays; ${median(dwell.delaysMin)} minutes late (median)`,
    `  stays with a reading inside after the minutes: ${percent(dwell.seenSent, dwell.seen)}`,
    `visits: ${percent(visits.found, visits.stays)} stays found; ${percent(visits.split, visits.visits)} begin within 10 minutes of the last`
  ].join("\n")

/** The values of `silence_s` that are compared; null: only readings fire dwell rules. */
const SILENCES = [null, 0, 120, 300, 600, 900, 1_200, 1_800] as const

/**
 * The rows of the table: every value of `SILENCES`, and 600 s with a further condition on the readings (`Evidence`).
 * The service has no such condition (decision rules-14).
 */
const VARIANTS: ReadonlyArray<readonly [silenceS: number | null, evidence?: Evidence, name?: string]> = [
  ...SILENCES.map((silenceS) => [silenceS] as const),
  [600, hasHabit, ", where it was as silent before"],
  [600, hasTwoInside, ", after two readings inside"]
]

/**
 * Makes a table for people, with one row for each entry of `VARIANTS`. A row shows in how many stays the dwell rule
 * fired, how late (the median), and how many of the rule's firings have each verdict (`DwellVerdict`).
 */
export const silenceTable = (
  logs: ReadonlyArray<MeasuredLog>,
  options: Pick<ReplayOptions, "dwellMinutes">
): Effect.Effect<string> =>
  Effect.forEach(VARIANTS, ([silenceS, evidence, name = ""]) =>
    Effect.map(
      figuresOf(logs, { ...options, settleS: null, silenceS }, evidence),
      ({ dwell: { delaysMin, sent, stays, verdicts } }) =>
        [
          `  ${silenceS === null ? "only readings" : `silence_s ${silenceS}${name}`}: ${percent(sent, stays)} stays told`,
          `${median(delaysMin)} minutes late (median)`,
          `seen inside later ${verdicts.seen}, unseen ${verdicts.unseen}, gone ${verdicts.gone}`
        ].join("; ")
    )
  ).pipe(Effect.map((rows) => [`dwell of ${options.dwellMinutes} minutes by silence_s:`, ...rows].join("\n")))
