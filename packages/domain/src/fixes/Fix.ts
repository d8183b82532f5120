import { Schema } from "effect"
import type { Point } from "../places/Geometry.js"
import type { DeviceId, UserId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"

/** One location reading of a phone. Coordinates are kept to 1e-7 degrees (about 1 cm), so equal readings are equal. */
export interface Fix extends Point {
  readonly capturedAt: Timestamp.Timestamp
  /** Metres; null when the phone did not say or said nonsense (decision L3). */
  readonly accuracyM: number | null
  readonly altitudeM: number | null
  readonly speedMps: number | null
  readonly courseDeg: number | null
}

/** Why a reading or a visit report is put aside and not evaluated (decision L3). */
export const QuarantineReason = Schema.Literal(
  /** the time or the position could not be read */
  "unreadable",
  "out_of_range",
  "null_island",
  "future",
  "too_old",
  /** a visit without any time, or one that ends before it begins */
  "no_stay",
  /** older than the user keeps history: counted and not stored */
  "not_kept"
)
export type QuarantineReason = typeof QuarantineReason.Type

/** A fix with who sent it and when it arrived. */
export interface StoredFix extends Fix {
  readonly userId: UserId
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp.Timestamp
}

/** What a phone sent, before anything was judged: any numbers at all. */
export interface Reading {
  readonly capturedAt: Timestamp.Timestamp
  readonly lat: number
  readonly lon: number
  readonly accuracyM?: number | null | undefined
  readonly altitudeM?: number | null | undefined
  readonly speedMps?: number | null | undefined
  readonly courseDeg?: number | null | undefined
}

export type Judged =
  | { readonly _tag: "Fix"; readonly fix: Fix }
  | { readonly _tag: "Quarantined"; readonly reading: Reading; readonly reason: QuarantineReason }

/** A phone's clock may run ahead by this much. */
export const MAX_AHEAD = 5 * Timestamp.MINUTE
/** 2010-01-01T00:00:00Z: earlier readings come from clocks that were never set. */
export const EARLIEST = 1_262_304_000_000

/** Decides what becomes of a reading at its arrival. Never fails: what a phone sent is never thrown away. */
export const judge = (reading: Reading, receivedAt: Timestamp.Timestamp): Judged => {
  const reason = quarantineReason(reading, receivedAt)
  return reason === undefined ? { _tag: "Fix", fix: clean(reading) } : { _tag: "Quarantined", reading, reason }
}

/** The time of a reading whose own could not be read. */
export const UNREADABLE = Timestamp.make(0)

const quarantineReason = (reading: Reading, receivedAt: Timestamp.Timestamp): QuarantineReason | undefined =>
  impossiblePlace(reading) ?? impossibleTime(reading.capturedAt, receivedAt)

/** What is wrong with a position; undefined when nothing is. A text where a number belongs is read as NaN. */
export const impossiblePlace = ({ lat, lon }: Point): QuarantineReason | undefined => {
  if (Number.isNaN(lat) || Number.isNaN(lon)) return "unreadable"
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return "out_of_range"
  return toGrid(lat) === 0 && toGrid(lon) === 0 ? "null_island" : undefined
}

/** What is wrong with a phone's time; undefined when nothing is. */
export const impossibleTime = (
  at: Timestamp.Timestamp,
  receivedAt: Timestamp.Timestamp
): QuarantineReason | undefined =>
  at - receivedAt > MAX_AHEAD ? "future" : at === UNREADABLE ? "unreadable" : at < EARLIEST ? "too_old" : undefined

const clean = (reading: Reading): Fix => ({
  capturedAt: reading.capturedAt,
  lat: toGrid(reading.lat),
  lon: toGrid(reading.lon),
  accuracyM: accuracy(reading.accuracyM),
  altitudeM: finite(reading.altitudeM),
  speedMps: notNegative(reading.speedMps),
  courseDeg: notNegative(reading.courseDeg)
})

/** To 1e-7 degrees. `+ 0` turns -0 into 0: the two are one place. */
export const toGrid = (degrees: number): number => Math.round(degrees * 1e7) / 1e7 + 0
const finite = (value: number | null | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null
/** Null when unknown: not said, 0, negative or no number (decision L3). */
export const accuracy = (value: number | null | undefined): number | null => {
  const number = finite(value)
  return number !== null && number > 0 ? number : null
}
const notNegative = (value: number | null | undefined): number | null => {
  const number = finite(value)
  return number !== null && number >= 0 ? number : null
}

/** The same text for the same reading of one device (decision L4): the idempotency key. */
export const key = (fix: Fix): string => `${fix.capturedAt} ${fix.lat} ${fix.lon}`

/** The same for what is kept apart: every number as it was sent, so that a repeated upload adds no second row. */
export const readingKey = (reading: Reading): string =>
  [
    reading.capturedAt,
    reading.lat,
    reading.lon,
    reading.accuracyM ?? "",
    reading.altitudeM ?? "",
    reading.speedMps ?? "",
    reading.courseDeg ?? ""
  ].join(" ")

/** In the order of evaluation, each reading of the device once; of equal keys the first stays. */
export const sortedAndDistinct = (fixes: Iterable<Fix>): ReadonlyArray<Fix> => {
  const byKey = new Map<string, Fix>()
  for (const fix of [...fixes].sort(byCapture)) {
    const known = key(fix)
    if (!byKey.has(known)) byKey.set(known, fix)
  }
  return [...byKey.values()]
}

/**
 * The order in which a batch is evaluated: by capture time; of one instant the more accurate first, then by place, so that
 * any shuffle of the same readings gives the same result (decision L4).
 */
export const byCapture = (a: Fix, b: Fix): number =>
  a.capturedAt - b.capturedAt ||
  (a.accuracyM ?? Number.MAX_VALUE) - (b.accuracyM ?? Number.MAX_VALUE) ||
  a.lat - b.lat ||
  a.lon - b.lon

/** The order of evaluation across phones: of one instant and otherwise equal, by device. */
export const oldestFirst = (a: StoredFix, b: StoredFix): number =>
  byCapture(a, b) || (a.deviceId < b.deviceId ? -1 : a.deviceId > b.deviceId ? 1 : 0)

/** The newest first; of one instant as `oldestFirst`, the more accurate before the less. */
export const newestFirst = (a: StoredFix, b: StoredFix): number => b.capturedAt - a.capturedAt || oldestFirst(a, b)
