import { Fix } from "@place-access/domain/fixes"
import { degrees, type Fields, fields, instant, list, number } from "./PhoneUpload.js"

// How uploads of OwnTracks are read (decision devices-9).

/** What OwnTracks posts (owntracks.org/booklet/tech/json): a message, or a list of messages. */
export const messages = (body: unknown): ReadonlyArray<unknown> => list(body) ?? [body]

/**
 * Decodes one message; never fails. Only a `location` message is a reading. All other messages contain nothing to
 * store; encrypted messages and empty bodies are among them.
 */
export const decode = (one: unknown): ReadonlyArray<Fix.Reading> => {
  const message = fields(one)
  return message?.["_type"] === "location" ? reading(message) : []
}

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
      // On iOS an altitude has no meaning when its accuracy is negative.
      altitudeM: (number(message["vac"]) ?? 0) < 0 ? undefined : number(message["alt"]),
      speedMps: speedKmh === undefined ? undefined : speedKmh / KMH,
      courseDeg: number(message["cog"])
    }
  ]
}

/** Seconds from 1970 to 2001, the epoch of iOS. */
const SECONDS_TO_2001 = 978_307_200
/**
 * 2020-01-01, in milliseconds since 1970. Every version of the app that counts from 2001 by mistake is newer than this
 * date. If a corrected time would be older, the cause is a phone whose clock was never set, so the time is not
 * corrected.
 */
const EARLIEST_REPAIRED = 1_577_836_800_000

/**
 * Decision L3: some versions of the app count the seconds from 2001 instead of 1970, so the times that they send are 31
 * years too early. No real reading is that old. So this function recognises such times and corrects them.
 */
const millis = (seconds: number | undefined): number | undefined => {
  if (seconds === undefined) return undefined
  const counted = seconds * 1_000
  const repaired = (seconds + SECONDS_TO_2001) * 1_000
  return counted < Fix.EARLIEST && repaired >= EARLIEST_REPAIRED ? repaired : counted
}
