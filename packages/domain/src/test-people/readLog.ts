import { Effect } from "effect"
import type { Reading } from "../fixes/Fix.js"
import { ImportReader, withMore } from "../imports/ImportReader.js"
import { Invalid, program } from "../shared/index.js"
import { LOG_READINGS } from "./Trip.js"

const TOO_MANY = `must have at most ${LOG_READINGS.most} readings`
const UNREADABLE =
  "must be a complete file of recorded positions: GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log or a Google Timeline"

/**
 * The readings of a recorded file, in any format that people can import. `Invalid` on `file`: the file cannot be read,
 * has no reading, or has more than `LOG_READINGS`.
 */
export const readLog = program("readLog", function* (file: Uint8Array) {
  const reader = (yield* ImportReader).open()
  const readings: Array<Reading> = []
  for (let isAgain = true; isAgain;) {
    isAgain = false
    for (const next of [() => reader.push(file), reader.end]) {
      for (const read of withMore(next())) {
        if (read.fault !== null) return yield* Invalid.of("file", UNREADABLE)
        for (const { reading } of read.entries.filter((entry) => entry._tag === "Reading")) readings.push(reading)
        if (readings.length > LOG_READINGS.most) return yield* Invalid.of("file", TOO_MANY)
        isAgain = read.isAgain === true
        if (read.more !== undefined) yield* Effect.yieldNow()
      }
    }
  }
  if (readings.length < LOG_READINGS.least) return yield* Invalid.of("file", "must have at least one reading")
  return readings
})
