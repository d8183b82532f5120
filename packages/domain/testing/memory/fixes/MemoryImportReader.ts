import { Layer } from "effect"
import type { ImportEntry } from "../../../src/imports/Entry.js"
import { type FileReader, ImportReader } from "../../../src/imports/ImportReader.js"
import type { ImportFault } from "../../../src/imports/Import.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"

/**
 * The first line of a file in this reader's format, which only tests use. Each further line is one entry. A reading is
 * `<millis> <lat> <lon>`. A visit is `visit <arrival> <departure> <lat> <lon>`, with `-` for no departure. `!` is a
 * place where the file is damaged. Any other line is an entry that cannot be used.
 */
export const FIRST_LINE = "<lines>"

/** A reading as a line of a file that begins with `FIRST_LINE`. `at` is in milliseconds since 1970. */
export const line = (at: number, lat: number, lon: number): string => `${at} ${lat} ${lon}`

export const layer: Layer.Layer<ImportReader> = Layer.succeed(ImportReader, {
  open: (): FileReader => {
    let rest = ""
    let opened = false
    let fault: ImportFault | null = null
    return {
      format: () => (opened ? "gpx" : null),
      push: (bytes) => {
        const entries: Array<ImportEntry> = []
        for (const byte of bytes) rest += String.fromCharCode(byte)
        for (let cut = rest.indexOf("\n"); cut >= 0 && fault === null; cut = rest.indexOf("\n")) {
          const text = rest.slice(0, cut)
          rest = rest.slice(cut + 1)
          if (!opened) {
            opened = text === FIRST_LINE
            if (!opened) fault = "not_ours"
          } else if (text === "!") fault = "damaged"
          else entries.push(entry(text))
        }
        return { entries, fault }
      },
      end: () => ({ entries: [], fault: fault ?? (rest === "" ? null : "cut_off") })
    }
  }
})

const entry = (text: string): ImportEntry => {
  const words = text.split(" ")
  const [first = Number.NaN, second = Number.NaN, lat = Number.NaN, lon = Number.NaN] = words.slice(1).map(Number)
  if (words[0] === "visit") {
    return {
      _tag: "Visit",
      visit: {
        arrival: Timestamp.make(first),
        departure: words[2] === "-" ? null : Timestamp.make(second),
        lat,
        lon,
        accuracyM: null
      }
    }
  }
  return words.length === 3
    ? { _tag: "Reading", reading: { capturedAt: Timestamp.make(Number(words[0])), lat: first, lon: second } }
    : { _tag: "Unusable" }
}
