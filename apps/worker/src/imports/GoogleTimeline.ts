import type { Entry } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { id, instant, isObject, type JsonValue, member, number, point } from "./Values.js"

/**
 * The readers in this file turn one element of a Google export into entries. An element that cannot be read becomes the
 * entry `UNUSABLE`, so that the import counts it.
 */

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }

/**
 * An element of `semanticSegments` (Android), or of the array that an iPhone exports: a path, a visit, a move from one
 * place to another, or something that the import skips.
 */
export const segment = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const path = element["timelinePath"]
  if (Array.isArray(path)) return path.map((step: unknown) => pathPoint(step, element["startTime"]))
  const { activity, visit } = element
  if (isObject(visit)) return isOutermost(visit) ? [visitOf(visit, element)] : []
  return isObject(activity) ? [edge(activity, element, "start"), edge(activity, element, "end")] : []
}

/** The position where a move began or ended. Its time is the time of the beginning or end of the segment. */
const edge = (activity: JsonValue, element: JsonValue, which: "start" | "end"): Entry.ImportEntry => {
  const location = activity[which]
  const place = point(location) ?? point(member(location, "latLng"))
  const capturedAt = instant(element[which === "start" ? "startTime" : "endTime"])
  return place === undefined || capturedAt === undefined
    ? UNUSABLE
    : { _tag: "Reading", reading: { capturedAt, ...place } }
}

/**
 * Reads a path point, which has its own time (Android) or the minutes since the start of its segment (iOS). Neither
 * export says how accurate the point is.
 */
const pathPoint = (step: unknown, startTime: unknown): Entry.ImportEntry => {
  const place = point(member(step, "point"))
  const start = instant(startTime)
  const minutes = number(member(step, "durationMinutesOffsetFromStartTime")) ?? 0
  const capturedAt =
    instant(member(step, "time")) ??
    (start === undefined ? undefined : Timestamp.plus(start, Math.trunc(minutes) * Timestamp.MINUTE))
  return place === undefined || capturedAt === undefined
    ? UNUSABLE
    : { _tag: "Reading", reading: { capturedAt, ...place } }
}

/**
 * Whether a visit is not within another visit. The export repeats a visit within a visit (a shop in a mall) as part of
 * the outer visit, so only the outer visit counts.
 */
const isOutermost = (visit: JsonValue): boolean => (number(visit["hierarchyLevel"]) ?? 0) === 0

const visitOf = (visit: JsonValue, element: JsonValue): Entry.ImportEntry => {
  const location = member(visit["topCandidate"], "placeLocation")
  const place = point(location) ?? point(member(location, "latLng"))
  const arrival = instant(element["startTime"])
  const departure = instant(element["endTime"])
  return place === undefined || arrival === undefined || departure === undefined
    ? UNUSABLE
    : { _tag: "Visit", visit: { arrival, departure, ...place, accuracyM: null } }
}

/** An element of `rawSignals`: a measured position. Activities and networks hold no position and are skipped. */
export const rawSignal = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const position = element["position"]
  if (!isObject(position)) return []
  const place = point(position["LatLng"] ?? position["latLng"])
  const capturedAt = instant(position["timestamp"])
  if (place === undefined || capturedAt === undefined) return [UNUSABLE]
  const reading = {
    capturedAt,
    ...place,
    accuracyM: number(position["accuracyMeters"]),
    altitudeM: number(position["altitudeMeters"]),
    speedMps: number(position["speedMetersPerSecond"])
  }
  return [{ _tag: "Reading", reading }]
}

const E7 = 1e7
/**
 * Degrees from units of 1e-7 degrees. Takeouts of some years wrote negative numbers as unsigned 32-bit numbers, so a
 * value of more than `most` degrees is read as negative.
 */
export const fromE7 = (value: unknown, most: number): number | undefined => {
  const e7 = number(value)
  return e7 === undefined ? undefined : (e7 > most * E7 ? e7 - 2 ** 32 : e7) / E7
}

/** An element of `locations` in a Takeout's Records.json. */
export const record = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const lat = fromE7(element["latitudeE7"], 90)
  const lon = fromE7(element["longitudeE7"], 180)
  const millis = number(element["timestampMs"])
  const isTime = millis !== undefined && Number.isSafeInteger(Math.trunc(millis))
  const capturedAt = instant(element["timestamp"]) ?? (isTime ? Timestamp.make(millis) : undefined)
  if (lat === undefined || lon === undefined || capturedAt === undefined) return [UNUSABLE]
  const reading = {
    capturedAt,
    lat,
    lon,
    accuracyM: number(element["accuracy"]),
    altitudeM: number(element["altitude"]),
    speedMps: number(element["velocity"]),
    courseDeg: number(element["heading"])
  }
  return [{ _tag: "Reading", reading, origin: id(element["deviceTag"]) }]
}

/**
 * The measured position in an element of `timelineEdits`, in `Timeline Edits.json`. Undefined: the element has no
 * measured position.
 */
const editedPosition = (element: JsonValue): unknown => member(member(element["rawSignal"], "signal"), "position")

/** Whether an element of `timelineEdits` has a measured position. All other elements have no location history. */
export const hasPosition = (element: JsonValue): boolean => isObject(editedPosition(element))

const MM_IN_M = 1_000

/** An element of `timelineEdits` for which `hasPosition` is true. */
export const edit = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const position = editedPosition(element)
  const place = member(position, "point")
  const lat = fromE7(member(place, "latE7"), 90)
  const lon = fromE7(member(place, "lngE7"), 180)
  const capturedAt = instant(member(position, "timestamp"))
  if (lat === undefined || lon === undefined || capturedAt === undefined) return [UNUSABLE]
  const accuracyMm = number(member(position, "accuracyMm"))
  const reading = {
    capturedAt,
    lat,
    lon,
    accuracyM: accuracyMm === undefined ? undefined : accuracyMm / MM_IN_M,
    altitudeM: number(member(position, "altitudeMeters")),
    speedMps: number(member(position, "speedMetersPerSecond"))
  }
  return [{ _tag: "Reading", reading, origin: id(element["deviceId"]) }]
}
