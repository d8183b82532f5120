import type { Entry } from "@place-access/domain/imports"
import type { Timestamp } from "@place-access/domain/shared"
import { fromE7 } from "./GoogleTimeline.js"
import { instant, isObject, type JsonValue, member, moment, number } from "./Values.js"

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }

/**
 * An element of `timelineObjects` in a monthly file of a Takeout (Semantic Location History): a stay at a place, or a
 * move between two places. A stay within a stay (`childVisits`) is part of the outer stay. Waypoints have no time and
 * are skipped.
 */
export const timelineObject = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const { activitySegment: move, placeVisit: stay } = element
  if (isObject(stay)) return [visitOf(stay), ...pathOf(stay)]
  if (!isObject(move)) return []
  return [
    reading(move["startLocation"], timeOf(move["duration"], "start")),
    ...pathOf(move),
    reading(move["endLocation"], timeOf(move["duration"], "end"))
  ]
}

/** The start or end of a duration: an ISO 8601 time, or milliseconds as a text in files from before 2022. */
const timeOf = (duration: unknown, which: "start" | "end"): Timestamp.Timestamp | undefined =>
  instant(member(duration, `${which}Timestamp`)) ?? moment(member(duration, `${which}TimestampMs`))

const placeOf = (location: unknown) => {
  const lat = fromE7(member(location, "latitudeE7") ?? member(location, "latE7"), 90)
  const lon = fromE7(member(location, "longitudeE7") ?? member(location, "lngE7"), 180)
  return lat === undefined || lon === undefined ? undefined : { lat, lon }
}

/**
 * A stay as a visit. Its place is the location that the person confirmed or that Google found; some stays have only the
 * coordinates of a center.
 */
const visitOf = (stay: JsonValue): Entry.ImportEntry => {
  const middle = { latE7: stay["centerLatE7"], lngE7: stay["centerLngE7"] }
  const place = placeOf(stay["location"]) ?? placeOf(middle)
  const [arrival, departure] = [timeOf(stay["duration"], "start"), timeOf(stay["duration"], "end")]
  return place === undefined || arrival === undefined || departure === undefined
    ? UNUSABLE
    : { _tag: "Visit", visit: { arrival, departure, ...place, accuracyM: null } }
}

const pathOf = (part: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const points = member(part["simplifiedRawPath"], "points")
  if (!Array.isArray(points)) return []
  return points.map((step: unknown) =>
    reading(
      step,
      instant(member(step, "timestamp")) ?? moment(member(step, "timestampMs")),
      number(member(step, "accuracyMeters"))
    )
  )
}

const reading = (
  location: unknown,
  capturedAt: Timestamp.Timestamp | undefined,
  accuracyM?: number
): Entry.ImportEntry => {
  const place = placeOf(location)
  if (place === undefined || capturedAt === undefined) return UNUSABLE
  return { _tag: "Reading", reading: { capturedAt, ...place, ...(accuracyM !== undefined && { accuracyM }) } }
}
