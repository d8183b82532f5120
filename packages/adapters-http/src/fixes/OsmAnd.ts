import type { Fix } from "@place-access/domain/fixes"
import type { Timestamp } from "@place-access/domain/shared"
import { withPlus } from "../wire/Query.js"
import { degrees, type Fields, fields, instant, isoMillis, list, number, parseJson } from "./PhoneUpload.js"

/**
 * The protocol of OsmAnd as Traccar reads it (traccar, OsmAndProtocolDecoder.java) and as apps send it: as a query, as a form,
 * and as JSON, nested as Traccar Client has it or flat as its SDK has it.
 */
export interface Sent {
  /** Without the question mark. */
  readonly query: string
  readonly body: string
}

/** The identifier of the phone: the first there is. */
export const deviceId = (sent: Sent): string | undefined => {
  for (const message of messages(sent)) {
    for (const name of ["id", "deviceid", "device_id"]) {
      const value = message[name]
      if (typeof value === "string" && value !== "") return value
    }
  }
  return undefined
}

/** `receivedAt` stands in for a time that was left out. Heartbeats hold nothing to store. */
export const decode = (sent: Sent, receivedAt: Timestamp.Timestamp): ReadonlyArray<Fix.Reading> => {
  const readings: Array<Fix.Reading> = []
  for (const message of messages(sent)) {
    // In a query or a form `location` is a text.
    const nested = list(message["location"]) ?? (fields(message["location"]) ? [message["location"]] : undefined)
    if (nested === undefined) readings.push(...flat(message, receivedAt))
    else for (const one of nested) readings.push(...traccarClient(one, receivedAt))
  }
  return readings
}

/**
 * The query counts beside each message of the body, or is the message. One at a time: a body may hold millions, and whose it is
 * is not known before the first that says so.
 */
function* messages({ body, query }: Sent): Generator<Fields> {
  const shared = formFields(query)
  const json = parseJson(body)
  for (const message of list(json) ?? [fields(json) ?? formFields(body)]) yield { ...shared, ...fields(message) }
}

/**
 * Of a query or a form no others are looked at: anybody can send any number. `acc`, `alt`, `spd`, `dir` and `time` are what `%ALL` of
 * GPSLogger becomes (gpslogger, CustomUrlManager.java).
 */
const NAMES: ReadonlySet<string> = new Set([
  "id",
  "deviceid",
  "device_id",
  "timestamp",
  "lat",
  "lon",
  "location",
  "valid",
  "accuracy",
  "acc",
  "altitude",
  "alt",
  "speed",
  "speed_mps",
  "spd",
  "bearing",
  "heading",
  "dir",
  "time"
])

/** The first value of each field. Also finds what Traccar Client hides in its JSON as `&id=…&lat=…&`, when that is broken. */
const formFields = (text: string): Fields => {
  const found: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) if (NAMES.has(name)) found[name] ??= value
  return found
}

const KNOTS = 1_852 / 3_600

const flat = (message: Fields, receivedAt: Timestamp.Timestamp): ReadonlyArray<Fix.Reading> => {
  const { location } = message
  const [lat, lon] = typeof location === "string" ? location.split(",") : [message["lat"], message["lon"]]
  if (isLeftOut(lat) && isLeftOut(lon)) return []
  if (isFalse(message["valid"])) return []
  const knots = number(message["speed"])
  return [
    {
      capturedAt: time(isLeftOut(message["timestamp"]) ? message["time"] : message["timestamp"], receivedAt),
      lat: degrees(lat),
      lon: degrees(lon),
      accuracyM: number(message["accuracy"]) ?? number(message["acc"]),
      altitudeM: number(message["altitude"]) ?? number(message["alt"]),
      // `speed_mps` is ours, for apps that can only say it in metres a second; `spd` is GPSLogger's.
      speedMps:
        number(message["speed_mps"]) ?? number(message["spd"]) ?? (knots === undefined ? undefined : knots * KNOTS),
      courseDeg: number(message["bearing"]) ?? number(message["heading"]) ?? number(message["dir"])
    }
  ]
}

const traccarClient = (value: unknown, receivedAt: Timestamp.Timestamp): ReadonlyArray<Fix.Reading> => {
  const location = fields(value)
  const coords = fields(location?.["coords"])
  if (location === undefined || coords === undefined) return []
  if (isLeftOut(coords["latitude"]) && isLeftOut(coords["longitude"])) return []
  return [
    {
      capturedAt: time(location["timestamp"], receivedAt),
      lat: degrees(coords["latitude"]),
      lon: degrees(coords["longitude"]),
      accuracyM: number(coords["accuracy"]),
      altitudeM: number(coords["altitude"]),
      speedMps: number(coords["speed"]),
      courseDeg: number(coords["heading"])
    }
  ]
}

const isLeftOut = (value: unknown): boolean => value === undefined || value === null || value === ""
/** The app itself says that it knows no better than the last place. */
const isFalse = (value: unknown): boolean => value === false || value === "false" || value === "0" || value === 0

/** Numbers from here on count milliseconds. */
const SECONDS_END = 2_147_483_647

/** Seconds or milliseconds since 1970, ISO 8601, or `yyyy-MM-dd HH:mm:ss`, which we take as UTC. */
const time = (value: unknown, receivedAt: Timestamp.Timestamp): Timestamp.Timestamp => {
  if (isLeftOut(value)) return receivedAt
  const count = number(value)
  if (count !== undefined && !Number.isNaN(count)) return instant(count < SECONDS_END ? count * 1_000 : count)
  const text = typeof value === "string" ? withPlus(value.trim()) : ""
  return instant(isoMillis(/^\S+ \S+$/.test(text) ? `${text.replace(" ", "T")}Z` : text))
}
