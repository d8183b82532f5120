import type { Entry } from "@place-access/domain/imports"
import { isObject, type JsonValue, member, moment, number } from "./Values.js"

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }
const TIMES = ["timestamp", "time", "times", "coordTimes", "captured_at", "recorded_at", "datetime", "date", "tst"]
/**
 * Google Maps writes one of these properties into each place that a person saved or reviewed. The date of the place
 * says when the person saved or reviewed it, and not when the person was there.
 */
const LINKS_TO_PLACES = ["google_maps_url", "Google Maps URL"]
/**
 * How deeply the positions are nested in the coordinates of a geometry: 0 for a point, 1 for a line or several points,
 * 2 for several lines.
 */
const DEPTHS: Readonly<Record<string, 0 | 1 | 2>> = { Point: 0, MultiPoint: 1, LineString: 1, MultiLineString: 2 }

export const isFeature = (element: JsonValue): boolean => isObject(element["geometry"])

/**
 * A feature of GeoJSON (RFC 7946). A point has one time, among its properties or as the fourth number of its position.
 * A line has a list with a time for each position (`coordTimes`, as the program togeojson writes it), or a fourth
 * number in each position. A feature without a time, and an area, give no entries, because they are drawings on a map
 * and no history. The program Dawarich writes its points as features.
 */
export const feature = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const { geometry, properties } = element
  const depth = DEPTHS[String(member(geometry, "type"))]
  const coordinates = member(geometry, "coordinates")
  if (depth === undefined || !Array.isArray(coordinates)) return []
  if (LINKS_TO_PLACES.some((name) => member(properties, name) !== undefined)) return []
  const [own, times] = timesOf(properties)
  if (depth === 0) {
    const [time] = Array.isArray(own) ? own.flat() : [own ?? coordinates[3]]
    return time === undefined ? [] : [reading(coordinates, time, properties)]
  }
  const lines: ReadonlyArray<unknown> = depth === 1 ? [coordinates] : coordinates
  return lines.flatMap((line, index) => (Array.isArray(line) ? lineOf(line, timesOfLine(times, index, depth)) : []))
}

/**
 * The time of the feature, and the list with a time for each position. A line may have both: togeojson writes the time
 * of the whole track beside the list.
 */
const timesOf = (properties: unknown): readonly [unknown, unknown] => {
  const inner = member(properties, "coordinateProperties")
  const found = TIMES.flatMap((name) => [member(properties, name), member(inner, name)])
  return [found.find((one) => one !== undefined && one !== null), found.find(Array.isArray)]
}

const timesOfLine = (times: unknown, index: number, depth: 1 | 2): ReadonlyArray<unknown> => {
  const own: unknown = depth === 2 && Array.isArray(times) ? times[index] : times
  return Array.isArray(own) ? own : []
}

const lineOf = (line: ReadonlyArray<unknown>, times: ReadonlyArray<unknown>): ReadonlyArray<Entry.ImportEntry> =>
  line.flatMap((position, index) => {
    const time = times[index] ?? (Array.isArray(position) ? position[3] : undefined)
    return time === undefined ? [] : [reading(position, time, undefined)]
  })

const reading = (position: unknown, time: unknown, properties: unknown): Entry.ImportEntry => {
  const [lon, lat, altitude] = Array.isArray(position) ? position.map(number) : []
  const capturedAt = moment(time)
  if (lat === undefined || lon === undefined || capturedAt === undefined) return UNUSABLE
  const of = (...names: ReadonlyArray<string>): number | undefined =>
    names.map((name) => number(member(properties, name))).find((value) => value !== undefined)
  return {
    _tag: "Reading",
    reading: {
      capturedAt,
      lat,
      lon,
      accuracyM: of("horizontal_accuracy", "accuracy", "accuracy_m"),
      // On iOS an altitude is unknown when its accuracy is negative.
      altitudeM: (of("vertical_accuracy") ?? 0) < 0 ? undefined : (of("altitude", "altitude_m") ?? altitude),
      speedMps: of("speed", "velocity", "speed_mps"),
      courseDeg: of("course", "course_deg")
    }
  }
}
