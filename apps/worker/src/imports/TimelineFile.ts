import type { Entry, FileReader, Import, Read } from "@place-access/domain/imports"
import * as GoogleTimeline from "./GoogleTimeline.js"
import * as JsonElements from "./JsonElements.js"
import { isObject, type JsonValue } from "./Values.js"

/** The arrays that hold entries in each of Google's exports. Everything else in a file is skipped. */
const SECTIONS: Readonly<
  Record<string, readonly [Import.ImportFormat, (element: JsonValue) => ReadonlyArray<Entry.ImportEntry>]>
> = {
  semanticSegments: ["google_android", GoogleTimeline.segment],
  rawSignals: ["google_android", GoogleTimeline.rawSignal],
  locations: ["google_takeout", GoogleTimeline.record]
}
const SEGMENT_KEYS = ["visit", "activity", "timelinePath", "timelineMemory"]

/** `opening`: the first character of the file. */
export const open = (opening: "[" | "{"): FileReader => {
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null
  let entries: Array<Entry.ImportEntry> = []

  const elements = JsonElements.open(opening === "[" ? "root" : Object.keys(SECTIONS), (value, section) => {
    if (!isObject(value)) return
    const found = section === undefined ? iosElement(value) : SECTIONS[section]
    if (found === undefined) return
    format ??= found[0]
    for (const entry of found[1](value)) entries.push(entry)
  })

  const read = (work: () => void, otherwise: Import.ImportFault): Read => {
    try {
      if (fault === null) work()
    } catch {
      fault = format === null ? "not_ours" : otherwise
    }
    const read = { entries, fault }
    entries = []
    return read
  }

  return {
    format: () => format,
    push: (bytes) => read(() => elements.push(bytes), "damaged"),
    end: () =>
      read(() => {
        elements.end()
        if (format === null) fault = "not_ours"
      }, "cut_off")
  }
}

const iosElement = (element: JsonValue) =>
  SEGMENT_KEYS.some((key) => key in element) ? (["google_ios", GoogleTimeline.segment] as const) : undefined
