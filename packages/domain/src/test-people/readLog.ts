import type { Reading } from "../fixes/Fix.js"
import { ImportReader } from "../imports/ImportReader.js"
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
    const [read, rest] = [reader.push(file), reader.end()]
    if (read.fault !== null || rest.fault !== null) return yield* Invalid.of("file", UNREADABLE)
    for (const entry of [...read.entries, ...rest.entries]) {
      if (entry._tag === "Reading") readings.push(entry.reading)
    }
    isAgain = rest.isAgain === true
  }
  if (readings.length < LOG_READINGS.least) return yield* Invalid.of("file", "must have at least one reading")
  if (readings.length > LOG_READINGS.most) return yield* Invalid.of("file", TOO_MANY)
  return readings
})
