import { Timestamp } from "@place-access/domain/shared"
import type { Log, LoggedReading } from "../../src/replay/Log.js"

/** Invented logs that resemble those of real phones. They are the same in every run. */

const NOON = Date.UTC(2026, 2, 2, 12)
const MINUTE = 60_000
const HOME = { lat: 48.2, lon: 16.37 }
/** How many degrees of latitude a meter is. */
const METRE = 1 / 111_200

/**
 * A reading `metres` north of home, captured `minutes` after noon, which arrives `lateMin` minutes after its capture.
 */
const at = (minutes: number, metres: number, accuracyM = 15, lateMin = 0): LoggedReading => {
  const capturedAt = Timestamp.make(NOON + minutes * MINUTE)
  return {
    receivedAt: Timestamp.make(capturedAt + 2_000 + lateMin * MINUTE),
    reading: { capturedAt, lat: HOME.lat + metres * METRE, lon: HOME.lon, accuracyM }
  }
}

const each = (from: number, to: number, step: number, metres: (minute: number) => number): Array<LoggedReading> => {
  const readings: Array<LoggedReading> = []
  for (let minute = from; minute <= to; minute += step) readings.push(at(minute, metres(minute)))
  return readings
}

const log = (name: string, readings: ReadonlyArray<LoggedReading>): Log => ({
  name,
  readings: [...readings].sort((a, b) => a.receivedAt - b.receivedAt),
  visits: []
})

export const CIRCLES = [
  { lat: HOME.lat, lon: HOME.lon, radiusM: 150 },
  { lat: HOME.lat + 2_000 * METRE, lon: HOME.lon, radiusM: 200 }
]

export const generatedLogs: ReadonlyArray<Log> = [
  log("a way between two places", [
    ...each(0, 30, 5, () => 0),
    ...each(31, 50, 1, (minute) => (minute - 30) * 100),
    ...each(55, 90, 5, () => 2_000),
    ...each(91, 110, 1, (minute) => 2_000 - (minute - 90) * 100),
    ...each(115, 150, 5, () => 5)
  ]),
  log("a position that jumps away for a minute", [
    ...each(0, 20, 2, () => 1_000),
    ...each(22, 40, 2, () => 10),
    at(41, 900),
    ...each(42, 60, 2, () => 10),
    at(61, 800),
    at(62, 820),
    ...each(63, 90, 3, () => 10)
  ]),
  log("a phone that sleeps", [
    ...each(0, 10, 2, () => 1_000),
    at(12, 20),
    at(95, 30),
    ...each(130, 140, 2, () => 1_000),
    at(142, 10),
    at(600, 700),
    at(602, 900)
  ]),
  log("a silence of sixteen hours, and a way of 58 km", [
    ...each(0, 20, 5, () => 1_000),
    ...each(25, 60, 5, () => 10),
    at(60 + 16 * 60, 58_000),
    at(64 + 16 * 60, 58_100)
  ]),
  log("late batches, and positions near the edge", [
    ...each(0, 20, 2, () => 1_000).map((one) => ({ ...one, receivedAt: Timestamp.make(NOON + 22 * MINUTE) })),
    ...each(24, 60, 2, () => 20).map((one) => ({ ...one, receivedAt: Timestamp.make(NOON + 61 * MINUTE) })),
    at(62, 140),
    at(64, 170, 80),
    at(66, 900, 1_500),
    at(68, 20),
    at(70, 900, 15, 40),
    at(72, 900, 15, 40),
    at(75, 950)
  ])
]
