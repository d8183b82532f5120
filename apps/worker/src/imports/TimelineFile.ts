import type { Entry, FileReader, Import, ReadResult } from "@place-access/domain/imports"
import * as GeoJson from "./GeoJson.js"
import * as GoogleMonthly from "./GoogleMonthly.js"
import * as GoogleTimeline from "./GoogleTimeline.js"
import * as JsonElements from "./JsonElements.js"
import * as Overland from "./Overland.js"
import * as OwnTracks from "./OwnTracks.js"
import { isObject, type JsonValue } from "./Values.js"

type Kind = readonly [Import.ImportFormat, (element: JsonValue) => ReadonlyArray<Entry.ImportEntry>]

const FEATURE: Kind = ["geojson", GeoJson.feature]
const OVERLAND: Kind = ["geojson", Overland.feature]
const SEGMENT: Kind = ["google_ios", GoogleTimeline.segment]
const RECORD: Kind = ["google_takeout", GoogleTimeline.record]
const EDIT: Kind = ["google_takeout", GoogleTimeline.edit]
const MESSAGE: Kind = ["owntracks", OwnTracks.message]

/**
 * The names of the arrays that contain entries. The function of an array returns the kind of the file to which an
 * element belongs. Everything else in a file is skipped.
 */
const SECTIONS: Readonly<Record<string, (element: JsonValue) => Kind | undefined>> = {
  semanticSegments: () => ["google_android", GoogleTimeline.segment],
  rawSignals: () => ["google_android", GoogleTimeline.rawSignal],
  timelineObjects: () => ["google_monthly", GoogleMonthly.timelineObject],
  timelineEdits: (element) => (GoogleTimeline.hasPosition(element) ? EDIT : undefined),
  // The array has this name in Google's Records.json and in Overland's batches.
  locations: (element) => (GeoJson.isFeature(element) ? OVERLAND : RECORD),
  features: (element) => (GeoJson.isFeature(element) ? FEATURE : undefined),
  // The answer of the API of OwnTracks' recorder. Many other programs have an array with this name.
  data: (element) => (OwnTracks.isLocation(element) ? MESSAGE : undefined)
}
const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }
const SEGMENT_KEYS = ["visit", "activity", "timelinePath", "timelineMemory"]

/** The members of a feature that is a root of the file, and not an element of an array. */
const OF_FEATURE = ["type", "geometry", "properties"]

/** Reads a JSON file whose first character is `opening`. */
export const open = (opening: "[" | "{"): FileReader => {
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null
  let entries: Array<Entry.ImportEntry> = []

  const onElement = (value: unknown, section: string | undefined): void => {
    if (value === JsonElements.TOO_LARGE) {
      // Only GeoJSON has a section `features`, so the section's name gives the format even if the first element is too
      // large to read.
      if (section === "features") format ??= "geojson"
      if (format !== null) entries.push(UNUSABLE)
      return
    }
    if (!isObject(value)) return
    const found = section === undefined ? elementOfArray(value) : SECTIONS[section]?.(value)
    if (found === undefined) return
    format ??= found[0]
    for (const entry of found[1](value)) entries.push(entry)
  }

  /**
   * Reads a root object of the file if the object is a GeoJSON feature, and returns whether it is one. Some programs
   * write a file that is one feature, or has a feature in each line.
   */
  const onRoot = (members: JsonValue): boolean => {
    if (members["type"] !== "Feature") return false
    const isTooLarge = Object.values(members).includes(JsonElements.TOO_LARGE)
    if (isTooLarge || GeoJson.isFeature(members)) {
      format ??= "geojson"
      for (const entry of isTooLarge ? [UNUSABLE] : GeoJson.feature(members)) entries.push(entry)
    }
    return true
  }

  const elements = JsonElements.open(
    opening === "[" ? "root" : Object.keys(SECTIONS),
    onElement,
    JsonElements.MAX_ELEMENT_BYTES,
    { names: OF_FEATURE, onEnd: onRoot }
  )

  const read = (work: () => void, otherwise: Import.ImportFault): ReadResult => {
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

/** The kind of an element in a file that is one array: an iPhone's Timeline, messages of OwnTracks, or features. */
const elementOfArray = (element: JsonValue): Kind | undefined => {
  if (SEGMENT_KEYS.some((key) => key in element)) return SEGMENT
  if (OwnTracks.isLocation(element)) return MESSAGE
  return GeoJson.isFeature(element) ? FEATURE : undefined
}
