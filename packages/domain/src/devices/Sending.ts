// How often a phone really sends, for each hour, and what makes its rules fire late or never (decision devices-16).
import { HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"
import { type Device, PROPERTIES } from "./Device.js"

/** A time without readings. `until` is the capture time of the next reading, or the end of the report. */
export interface SilentStretch {
  readonly from: Timestamp
  readonly until: Timestamp
}

/** How many readings a device captured in one stretch of time, such as an hour. */
export interface SentCount {
  /**
   * The stretch of time begins at `edges[edge]` and ends at the next element of `edges`, which the caller passed to
   * `FixHistory.sent`.
   */
  readonly edge: number
  readonly readings: number
  /** How many readings arrived more than `LATE_AFTER` after their capture: no rule fires for these readings. */
  readonly late: number
  readonly firstAt: Timestamp
  readonly lastAt: Timestamp
}

/** The readings of one device, as the store counts them. */
export interface SentReadings {
  /** Ordered by `edge`, so the earliest hour comes first. An hour without readings has no element. */
  readonly counts: ReadonlyArray<SentCount>
  /** The times of `SILENT_AFTER` or more between one reading and the next, oldest first. */
  readonly silences: ReadonlyArray<SilentStretch>
}

export interface SendingHour {
  readonly from: Timestamp
  readonly readings: number
  readonly late: number
}

/**
 * Advice to the owner of the phone. `arrives_late`: one reading in twenty or more comes too late for rules. `sleeps`:
 * the phone was silent for an hour or more in all. `sends_much`: outside of its silences, the phone sent a reading
 * every 30 seconds on average, or more often, for an hour or more. This empties the battery and makes no rule faster.
 */
export type SendingAdvice = "arrives_late" | "sleeps" | "sends_much"

export interface SendingReport {
  /** The last `HOURS` hours in UTC, oldest first; the last one is the present hour. */
  readonly hours: ReadonlyArray<SendingHour>
  readonly readings: number
  readonly late: number
  /**
   * The times of `SILENT_AFTER` or more without readings, including the time before the first reading and the time
   * after the last reading. A time of which the owner deleted a part is left out, because nobody knows whether the
   * phone was silent.
   */
  readonly silences: ReadonlyArray<SilentStretch>
  /** Whether `silences` leaves out a time without readings because the owner deleted a part of this time. */
  readonly isPartlyErased: boolean
  /** The longest of `silences`; of several equally long ones, the earliest. Null when there was no silence. */
  readonly longest: SilentStretch | null
  readonly advice: ReadonlyArray<SendingAdvice>
}

/** The number of hours in a report: the present hour and the hours before it. */
export const HOURS = 24

/**
 * A reading that arrives later than this after its capture fires no rule. The same time as
 * `RuleEvaluation.STALE_AFTER`.
 */
export const LATE_AFTER = 15 * MINUTE

/** The default `max_age_s` of requests about places: after this time without readings, apps read "unknown". */
export const SILENT_AFTER = 15 * MINUTE

const SLEEPS_FROM = HOUR
const LATE_SHARE = 1 / 20
const MUCH_A_MINUTE = 2

/**
 * The beginning of each hour of the report, and the end of the report: 1 ms after `now`, so that a reading at `now`
 * counts.
 */
export const edges = (now: Timestamp): ReadonlyArray<Timestamp> => {
  const thisHour = plus(now, -(now % HOUR))
  return [...Array.from({ length: HOURS }, (_, index) => plus(thisHour, (index + 1 - HOURS) * HOUR)), plus(now, 1)]
}

/**
 * The report on a device, from the store's counts of its readings between `edges(now)`. `erasures`: the stretches that
 * the owner deleted.
 */
export const of = (
  { createdAt, format }: Pick<Device, "createdAt" | "format">,
  { counts, silences: between }: SentReadings,
  now: Timestamp,
  erasures: ReadonlyArray<SilentStretch> = []
): SendingReport => {
  const byEdge = new Map(counts.map((count) => [count.edge, count]))
  const hours = edges(now)
    .slice(0, HOURS)
    .map((from, edge): SendingHour => {
      const { late = 0, readings = 0 } = byEdge.get(edge) ?? {}
      return { from, readings, late }
    })
  const readings = total(hours.map((hour) => hour.readings))
  const late = total(hours.map((hour) => hour.late))
  const begin = Math.max(createdAt, edges(now)[0] ?? now) as Timestamp
  const found = [...ends(counts, begin, now), ...between].sort((a, b) => a.from - b.from)
  const silences = found.filter(({ from, until }) => !erasures.some((one) => one.from < until && one.until > from))
  const longest = silences.reduce<SilentStretch | null>(
    (most, one) => (most === null || lengthOf(one) > lengthOf(most) ? one : most),
    null
  )
  const silentMs = total(silences.map(lengthOf))
  const awakeMinutes = Math.max(1, (now - begin - total(found.map(lengthOf))) / MINUTE)
  const advice: ReadonlyArray<SendingAdvice> =
    // A browser sends only while its page is open, and a phone without readings gets a warning in another place
    // (`Silence`). So neither of them gets advice here.
    PROPERTIES[format].sender === "page" || readings === 0
      ? []
      : [
          ...(late >= readings * LATE_SHARE ? (["arrives_late"] as const) : []),
          ...(silentMs >= SLEEPS_FROM ? (["sleeps"] as const) : []),
          ...(awakeMinutes >= 60 && readings >= awakeMinutes * MUCH_A_MINUTE ? (["sends_much"] as const) : [])
        ]
  return { hours, readings, late, silences, isPartlyErased: silences.length < found.length, longest, advice }
}

const lengthOf = ({ from, until }: SilentStretch): number => until - from

const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, one) => sum + one, 0)

/**
 * The silences that are missing in `SentReadings`: before the first reading and after the last reading, or the whole
 * time when there is no reading.
 */
const ends = (counts: ReadonlyArray<SentCount>, begin: Timestamp, now: Timestamp): ReadonlyArray<SilentStretch> => {
  const first = counts[0]?.firstAt ?? now
  const last = counts.at(-1)?.lastAt ?? now
  return [
    { from: begin, until: first },
    { from: last, until: now }
  ].filter((one) => lengthOf(one) >= SILENT_AFTER)
}
