import { Fix } from "@place-access/domain/fixes"
import { degrees, type Fields, fields, instant, list, number } from "./PhoneUpload.js"

// Decodes the uploads of OwnTracks (decision devices-9).

/** What OwnTracks posts (owntracks.org/booklet/tech/json): a message, or a list of messages. */
export const messages = (body: unknown): ReadonlyArray<unknown> => list(body) ?? [body]

/**
 * Decodes one message; never fails. Only a `location` message is a reading. All other messages, also encrypted messages
 * and empty bodies, contain nothing to store.
 */
export const decode = (one: unknown): ReadonlyArray<Fix.Reading> => {
  const message = fields(one)
  return message?.["_type"] === "location" ? reading(message) : []
}

const KMH = 3.6

const reading = (message: Fields): ReadonlyArray<Fix.Reading> => {
  const [lat, lon] = [message["lat"], message["lon"]]
  if (lat === undefined && lon === undefined) return []
  const [seconds, speedKmh] = [number(message["tst"]), number(message["vel"])]
  return [
    {
      capturedAt: Fix.repairEpoch(instant(seconds === undefined ? undefined : seconds * 1_000)),
      lat: degrees(lat),
      lon: degrees(lon),
      accuracyM: number(message["acc"]),
      // On iOS a negative vertical accuracy (`vac`) means that the altitude is not valid.
      altitudeM: (number(message["vac"]) ?? 0) < 0 ? undefined : number(message["alt"]),
      speedMps: speedKmh === undefined ? undefined : speedKmh / KMH,
      courseDeg: number(message["cog"])
    }
  ]
}
