import type { Entry } from "@place-access/domain/imports"
import { instant, number } from "./Values.js"
import type { XmlDialect } from "./XmlDialect.js"

/** The elements of a `Trackpoint` that are read. */
const FIELDS: ReadonlySet<string> = new Set(["Time", "LatitudeDegrees", "LongitudeDegrees", "AltitudeMeters", "Speed"])

/**
 * Reads the track points of a Training Center file. A track point without a position is a measurement of the heart rate
 * or of the cadence, and gives no entry. The track points of a course give no entries either, because a course is a
 * plan.
 */
export const open = (onEntry: (entry: Entry.ImportEntry) => void): XmlDialect => {
  let texts: Map<string, string> | undefined
  let isPlan = false
  return {
    open: (name) => {
      if (name === "Courses") isPlan = true
      if (name === "Trackpoint" && !isPlan) texts = new Map()
      return texts !== undefined && FIELDS.has(name)
    },
    close: (name, text) => {
      if (name === "Courses") isPlan = false
      if (texts === undefined) return
      if (text !== undefined && FIELDS.has(name)) texts.set(name, text)
      if (name !== "Trackpoint") return
      if (texts.has("LatitudeDegrees") || texts.has("LongitudeDegrees")) onEntry(entry(texts))
      texts = undefined
    }
  }
}

const entry = (texts: ReadonlyMap<string, string>): Entry.ImportEntry => {
  const capturedAt = instant(texts.get("Time"))
  const [lat, lon] = [number(texts.get("LatitudeDegrees")), number(texts.get("LongitudeDegrees"))]
  if (capturedAt === undefined || lat === undefined || lon === undefined) return { _tag: "Unusable" }
  const [altitudeM, speedMps] = [number(texts.get("AltitudeMeters")), number(texts.get("Speed"))]
  return { _tag: "Reading", reading: { capturedAt, lat, lon, altitudeM, speedMps } }
}
