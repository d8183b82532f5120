import type { Entry } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { instant, isObject, type Json, member, number, point } from "./Values.js"

/** What elements of Google's exports say about where somebody was. */

const UNUSABLE: Entry.Entry = { _tag: "Unusable" }

/** Of `semanticSegments` (Android), and of the array that an iPhone exports: a path, a visit, or nothing of ours. */
export const segment = (element: Json): ReadonlyArray<Entry.Entry> => {
  const path = element["timelinePath"]
  if (Array.isArray(path)) return path.map((step: unknown) => pathPoint(step, element["startTime"]))
  const visit = element["visit"]
  return isObject(visit) && isOutermost(visit) ? [visitOf(visit, element)] : []
}

/** A time of its own (Android), or minutes since the start of its segment (iOS). How accurate it is nobody says. */
const pathPoint = (step: unknown, startTime: unknown): Entry.Entry => {
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

/** Visits within a visit (a shop in a mall) are told again by the one around them. */
const isOutermost = (visit: Json): boolean => (number(visit["hierarchyLevel"]) ?? 0) === 0

const visitOf = (visit: Json, element: Json): Entry.Entry => {
  const location = member(visit["topCandidate"], "placeLocation")
  const place = point(location) ?? point(member(location, "latLng"))
  const arrival = instant(element["startTime"])
  const departure = instant(element["endTime"])
  return place === undefined || arrival === undefined || departure === undefined
    ? UNUSABLE
    : { _tag: "Visit", visit: { arrival, departure, ...place, accuracyM: null } }
}

/** Of `rawSignals`: what the phone measured; activities and networks say nothing of ours. */
export const rawSignal = (element: Json): ReadonlyArray<Entry.Entry> => {
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
/** Takeouts of some years wrote negative numbers as if they had no sign. */
const fromE7 = (value: unknown, most: number): number | undefined => {
  const e7 = number(value)
  return e7 === undefined ? undefined : (e7 > most * E7 ? e7 - 2 ** 32 : e7) / E7
}

/** Of `locations` in a Takeout's Records.json. */
export const record = (element: Json): ReadonlyArray<Entry.Entry> => {
  const lat = fromE7(element["latitudeE7"], 90)
  const lon = fromE7(element["longitudeE7"], 180)
  const millis = number(element["timestampMs"])
  const capturedAt = instant(element["timestamp"]) ?? (millis === undefined ? undefined : Timestamp.make(millis))
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
  return [{ _tag: "Reading", reading }]
}
