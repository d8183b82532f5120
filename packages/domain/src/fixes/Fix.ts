// Checks, compares and orders the readings of phones. Decisions M4, fixes-1, fixes-2 and fixes-3.
import { Order } from "effect"
import type { Point } from "../places/Geometry.js"
import { type DeviceId, Timestamp, type UserId } from "../shared/index.js"
import type { QuarantineReason } from "../devices/QuarantineReason.js"

/**
 * A location reading of a phone that the service accepted. Coordinates are rounded to 1e-7 degrees (about 1 cm), so
 * that a reading that is sent again has the same `key`.
 */
export interface Fix extends Point {
  readonly capturedAt: Timestamp.Timestamp
  /** Metres; null when the phone sent no accuracy or an impossible one (decision L3). */
  readonly accuracyM: number | null
  readonly altitudeM: number | null
  readonly speedMps: number | null
  readonly courseDeg: number | null
}

/**
 * A fix that may be marked: `isLeftBehind` says that its user had left the device behind (`Carried`). No rule, and no
 * answer about one moment, present or past, uses a marked fix. For visits, a marked fix is outside of every place
 * (`StayFix`).
 */
export interface MarkedFix extends Fix {
  readonly isLeftBehind?: true
}

/** A fix, with the device that sent it and its time of arrival. */
export interface StoredFix extends MarkedFix {
  readonly userId: UserId
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp.Timestamp
  /**
   * The devices, besides `deviceId`, of imported files that contain the same fix (decision imports-2). Only
   * `FixHistory.range` reads this list. Left out when there is none. The list may name devices of undone imports.
   */
  readonly alsoFrom?: ReadonlyArray<DeviceId> | undefined
}

/** A reading as the phone sent it, before any check. A number may have any value, even infinity. */
export interface Reading {
  readonly capturedAt: Timestamp.Timestamp
  readonly lat: number
  readonly lon: number
  readonly accuracyM?: number | null | undefined
  readonly altitudeM?: number | null | undefined
  readonly speedMps?: number | null | undefined
  readonly courseDeg?: number | null | undefined
}

export type JudgedFix =
  | { readonly _tag: "Fix"; readonly fix: Fix }
  | { readonly _tag: "Quarantined"; readonly reading: Reading; readonly reason: QuarantineReason }

/**
 * A reading is quarantined when its capture time is later than its arrival by more than this time, in milliseconds. A
 * smaller difference is accepted, because the phone's clock may be a little ahead of the server's clock.
 */
export const MAX_AHEAD = 5 * Timestamp.MINUTE
/**
 * The earliest capture time that is accepted, 2010-01-01T00:00:00Z. Most earlier readings come from clocks that were
 * never set.
 */
export const EARLIEST = 1_262_304_000_000

/** The milliseconds from 1970 to 2001, the epoch of iOS. */
const UNTIL_2001 = 978_307_200_000
/**
 * 2020-01-01, in milliseconds since 1970. Every version of OwnTracks that counts from 2001 by mistake is newer than
 * this date. If a corrected time would be older, the cause is a phone whose clock was never set, so the time is not
 * corrected.
 */
const EARLIEST_REPAIRED = 1_577_836_800_000

/**
 * Decision L3: some versions of OwnTracks count the seconds from 2001 instead of 1970, so the times that they send are
 * 31 years too early. No real reading is that old. So this function recognises such times and corrects them.
 */
export const repairEpoch = (at: Timestamp.Timestamp): Timestamp.Timestamp => {
  const repaired = Timestamp.plus(at, UNTIL_2001)
  return at < EARLIEST && repaired >= EARLIEST_REPAIRED ? repaired : at
}

/** Decides at the arrival of a reading whether it is accepted or quarantined. Never fails, so no reading is lost. */
export const judge = (reading: Reading, receivedAt: Timestamp.Timestamp): JudgedFix => {
  const reason = quarantineReason(reading, receivedAt)
  return reason === undefined ? { _tag: "Fix", fix: clean(reading) } : { _tag: "Quarantined", reading, reason }
}

/** The capture time of a reading whose time could not be read. */
export const UNREADABLE = Timestamp.make(0)

const quarantineReason = (reading: Reading, receivedAt: Timestamp.Timestamp): QuarantineReason | undefined =>
  impossiblePlace(reading) ?? impossibleTime(reading.capturedAt, receivedAt)

/**
 * Why a position is impossible; undefined when it is possible. NaN stands for a missing value, and for a text where the
 * phone had to send a number.
 */
export const impossiblePlace = ({ lat, lon }: Point): QuarantineReason | undefined => {
  if (Number.isNaN(lat) || Number.isNaN(lon)) return "unreadable"
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return "out_of_range"
  return toGrid(lat) === 0 && toGrid(lon) === 0 ? "null_island" : undefined
}

/** Why a time that a phone sent is impossible; undefined when it is possible. */
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

/** Rounds to 1e-7 degrees. `+ 0` turns -0 into 0, because -0 and 0 are the same position. */
export const toGrid = (degrees: number): number => Math.round(degrees * 1e7) / 1e7 + 0
const finite = (value: number | null | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null
/**
 * The accuracy in metres. Null when it is absent, 0, negative, infinite or not a number, because it is then unknown
 * (decision L3).
 */
export const accuracy = (value: number | null | undefined): number | null => {
  const number = finite(value)
  return number !== null && number > 0 ? number : null
}
const notNegative = (value: number | null | undefined): number | null => {
  const number = finite(value)
  return number !== null && number >= 0 ? number : null
}

/** The idempotency key of a fix: readings of one device with equal time and position are one fix (decision L4). */
export const key = (fix: Fix): string => `${fix.capturedAt} ${fix.lat} ${fix.lon}`

/**
 * The key of a quarantined reading. It contains every number as the phone sent it, so that a repeated upload adds no
 * second row.
 */
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

/**
 * Sorts fixes into the order of evaluation (`byCapture`). Of several fixes with one key, only the first in this order
 * stays.
 */
export const sortedAndDistinct = (fixes: Iterable<Fix>): ReadonlyArray<Fix> => {
  const distinct: Array<Fix> = []
  /**
   * The keys of the fixes with the last capture time. Empty while only one fix has this time, because a single fix
   * needs no comparison.
   */
  const keys = new Set<string>()
  for (const fix of [...fixes].sort(byCapture)) {
    const last = distinct.at(-1)
    if (last?.capturedAt === fix.capturedAt) {
      if (keys.size === 0) keys.add(key(last))
      const own = key(fix)
      if (keys.has(own)) continue
      keys.add(own)
    } else if (keys.size > 0) keys.clear()
    distinct.push(fix)
  }
  return distinct
}

/**
 * Orders fixes by capture time, then accuracy (unknown last), then position. So the order in which a phone lists its
 * readings does not matter (decision L4).
 */
export const byCapture = (a: Fix, b: Fix): number =>
  a.capturedAt - b.capturedAt ||
  (a.accuracyM ?? Number.MAX_VALUE) - (b.accuracyM ?? Number.MAX_VALUE) ||
  a.lat - b.lat ||
  a.lon - b.lon

/** The order of fixes of several devices: by `byCapture`, and equal readings by device id. */
export const oldestFirst = (a: StoredFix, b: StoredFix): number =>
  byCapture(a, b) || Order.string(a.deviceId, b.deviceId)

/** Newest capture first. Fixes captured at the same instant are in the order of `oldestFirst`. */
export const newestFirst = (a: StoredFix, b: StoredFix): number => b.capturedAt - a.capturedAt || oldestFirst(a, b)
