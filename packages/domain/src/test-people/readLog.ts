import { Effect } from "effect"
import type { Reading } from "../fixes/Fix.js"
import type { ImportFault } from "../imports/Import.js"
import { ImportReader, withMore } from "../imports/ImportReader.js"
import { Invalid, program } from "../shared/index.js"
import { LOG_ENTRIES, LOG_READINGS, LOG_UNPACKED_BYTES } from "./Trip.js"

const TOO_MANY = `must have at most ${LOG_READINGS.most} readings`
const TOO_LONG = `must have at most ${LOG_ENTRIES} entries, with those that are no readings`
const UNSAFE = `must unpack to at most ${LOG_UNPACKED_BYTES / 1_048_576} MiB, and must not be built like a packed file that does harm`
const UNREADABLE =
  "must be a complete file of recorded positions: GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, an OwnTracks log or a Google Timeline"

/**
 * A pause in which timers and other requests can run. `Effect.yieldNow` would not be enough: after it, the fiber goes
 * on before any timer fires or any bytes arrive.
 */
const turn = Effect.sleep(0)

/**
 * The readings of a recorded file, in any format that people can import. Fails with `Invalid` on `file` when the file
 * cannot be read, has no reading, has more than `LOG_READINGS.most` readings or `LOG_ENTRIES` entries, unpacks to more
 * than `LOG_UNPACKED_BYTES`, or is a packed file that may harm its reader.
 */
export const readLog = program("readLog", function* (file: Uint8Array) {
  const reader = (yield* ImportReader).open(undefined, LOG_UNPACKED_BYTES)
  const readings: Array<Reading> = []
  let entries = 0
  for (let needsPass = true; needsPass;) {
    needsPass = false
    for (const next of [() => reader.push(file), reader.end]) {
      for (const read of withMore(next())) {
        if (read.fault !== null) return yield* Invalid.of("file", messageOf(read.fault))
        entries += read.entries.length
        for (const entry of read.entries) if (entry._tag === "Reading") readings.push(entry.reading)
        if (readings.length > LOG_READINGS.most) return yield* Invalid.of("file", TOO_MANY)
        if (entries > LOG_ENTRIES) return yield* Invalid.of("file", TOO_LONG)
        needsPass = read.needsAnotherPass === true
        if (read.more !== undefined) yield* turn
      }
    }
  }
  if (readings.length < LOG_READINGS.least) return yield* Invalid.of("file", "must have at least one reading")
  return readings
})

const messageOf = (fault: ImportFault): string => (fault === "unsafe_archive" ? UNSAFE : UNREADABLE)
