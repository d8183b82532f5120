import { Fix } from "@place-access/domain/fixes"
import { degrees, type Fields, fields, instant, list, number } from "./PhoneUpload.js"

/**
 * What OwnTracks posts (owntracks.org/booklet/tech/json): one message, of which only `location` was measured. Everything else,
 * encrypted messages and empty bodies too, holds nothing to store.
 */
export const decode = (body: unknown): ReadonlyArray<Fix.Reading> =>
  (list(body) ?? [body]).flatMap((one) => {
    const message = fields(one)
    return message?.["_type"] === "location" ? reading(message) : []
  })

const KMH = 3.6

const reading = (message: Fields): ReadonlyArray<Fix.Reading> => {
  const [lat, lon] = [message["lat"], message["lon"]]
  if (lat === undefined && lon === undefined) return []
  const speedKmh = number(message["vel"])
  return [
    {
      capturedAt: instant(millis(number(message["tst"]))),
      lat: degrees(lat),
      lon: degrees(lon),
      accuracyM: number(message["acc"]),
      // iOS: the altitude says nothing when its accuracy is negative.
      altitudeM: (number(message["vac"]) ?? 0) < 0 ? undefined : number(message["alt"]),
      speedMps: speedKmh === undefined ? undefined : speedKmh / KMH,
      courseDeg: number(message["cog"])
    }
  ]
}

/** Seconds from 1970 to 2001, where times of iOS begin. */
const SECONDS_TO_2001 = 978_307_200
/** 2020-01-01: no app that counts from 2001 is older. A clock that was never set is not repaired into the past. */
const EARLIEST_REPAIRED = 1_577_836_800_000

/** Decision L3: times that were counted from 2001 lie before everything that can be, and are told by that. */
const millis = (seconds: number | undefined): number | undefined => {
  if (seconds === undefined) return undefined
  const counted = seconds * 1_000
  const repaired = (seconds + SECONDS_TO_2001) * 1_000
  return counted < Fix.EARLIEST && repaired >= EARLIEST_REPAIRED ? repaired : counted
}
