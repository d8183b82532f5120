import type { Entry } from "@place-access/domain/imports"
import { type JsonValue, moment, number } from "./Values.js"

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }
const KMH_IN_MPS = 3.6

/**
 * Reads a message of OwnTracks. Only messages of the type `location` give an entry: a `transition` repeats the position
 * of a `location`, and the other types are no measurements (decision devices-9).
 */
export const message = (value: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  if (value["_type"] !== "location") return []
  const [lat, lon, capturedAt] = [number(value["lat"]), number(value["lon"]), moment(value["tst"])]
  if (lat === undefined || lon === undefined || capturedAt === undefined) return [UNUSABLE]
  const speedKmh = number(value["vel"])
  const reading = {
    capturedAt,
    lat,
    lon,
    accuracyM: number(value["acc"]),
    altitudeM: number(value["alt"]),
    speedMps: speedKmh === undefined ? undefined : speedKmh / KMH_IN_MPS,
    courseDeg: number(value["cog"])
  }
  return [{ _tag: "Reading", reading }]
}
