import { Fix } from "@place-access/domain/fixes"
import type { Entry } from "@place-access/domain/imports"
import { type JsonValue, moment, number } from "./Values.js"

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }
const KMH_IN_MPS = 3.6

/** Whether a message has a position. */
export const isLocation = (value: JsonValue): boolean => value["_type"] === "location"

/**
 * Reads a message of OwnTracks. Only messages of the type `location` give an entry: a `transition` repeats the position
 * of a `location`, and the other types are no measurements (decision devices-9). `origin`: the device that sent the
 * message (`Entry.ImportEntry`).
 */
export const message = (value: JsonValue, origin?: string): ReadonlyArray<Entry.ImportEntry> => {
  if (!isLocation(value)) return []
  const [lat, lon, capturedAt] = [number(value["lat"]), number(value["lon"]), moment(value["tst"])]
  if (lat === undefined || lon === undefined || capturedAt === undefined) return [UNUSABLE]
  const speedKmh = number(value["vel"])
  const reading = {
    capturedAt: Fix.repairEpoch(capturedAt),
    lat,
    lon,
    accuracyM: number(value["acc"]),
    // On iOS an altitude has no meaning when its accuracy is negative.
    altitudeM: (number(value["vac"]) ?? 0) < 0 ? undefined : number(value["alt"]),
    speedMps: speedKmh === undefined ? undefined : speedKmh / KMH_IN_MPS,
    courseDeg: number(value["cog"])
  }
  return [{ _tag: "Reading", reading, origin }]
}
