import { Layer } from "effect"
import type { Entry } from "../../imports/Entry.js"
import { type FileReader, ImportReader } from "../../imports/ImportReader.js"
import type { Fault } from "../../imports/Import.js"
import * as Timestamp from "../../shared/Timestamp.js"

/**
 * A format for tests, one entry a line: `<lines>` opens the file, then `<millis> <lat> <lon>`, `visit <arrival> <departure> <lat> <lon>`,
 * a departure of `-` for none; anything else for what is not usable, and `!` where the file is damaged.
 */
export const FIRST_LINE = "<lines>"

/** One reading as a line of the only format that it knows. */
export const line = (at: number, lat: number, lon: number): string => `${at} ${lat} ${lon}`

export const layer: Layer.Layer<ImportReader> = Layer.succeed(ImportReader, {
  open: (): FileReader => {
    let rest = ""
    let opened = false
    let fault: Fault | null = null
    return {
      format: () => (opened ? "gpx" : null),
      push: (bytes) => {
        const entries: Array<Entry> = []
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

const entry = (text: string): Entry => {
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
