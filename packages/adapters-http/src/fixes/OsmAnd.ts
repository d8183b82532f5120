import type { Fix } from "@place-access/domain/fixes"
import type { Timestamp } from "@place-access/domain/shared"
import { withPlus } from "../wire/Query.js"
import { degrees, type Fields, fields, instant, isoMillis, list, number, parseJson } from "./PhoneUpload.js"

// Reads uploads of OsmAnd, Traccar Client and GPSLogger. A reading that cannot be read is kept, and the domain puts it
// aside (decisions devices-10 and devices-12).

/**
 * A request in the protocol of OsmAnd, as Traccar reads it (traccar, OsmAndProtocolDecoder.java). Apps send it as a
 * query, as a form, or as JSON: nested by Traccar Client, flat by its SDK.
 */
export interface OsmAndRequest {
  /** The query string without the question mark. */
  readonly query: string
  readonly body: string
}

/** The phone's identifier: the first that is not empty, under any of its three names. Undefined when there is none. */
export const deviceId = (sent: OsmAndRequest): string | undefined => {
  for (const message of messages(sent)) {
    for (const name of ["id", "deviceid", "device_id"]) {
      const value = message[name]
      if (typeof value === "string" && value !== "") return value
    }
  }
  return undefined
}

/** Decodes the readings of a request. `receivedAt` replaces a time that was left out. Heartbeats contain no reading. */
export const decode = (sent: OsmAndRequest, receivedAt: Timestamp.Timestamp): ReadonlyArray<Fix.Reading> => {
  const readings: Array<Fix.Reading> = []
  for (const message of messages(sent)) {
    // In a query or a form `location` is a text, `lat,lon`.
    const nested = list(message["location"]) ?? (fields(message["location"]) ? [message["location"]] : undefined)
    if (nested === undefined) readings.push(...flat(message, receivedAt))
    else for (const one of nested) readings.push(...traccarClient(one, receivedAt))
  }
  return readings
}

/**
 * The messages of a request. Every message of the body gets the fields of the query too; without a body the query is
 * the message. A generator, because a body may hold millions of messages, and `deviceId` needs only the first with an
 * identifier.
 */
function* messages({ body, query }: OsmAndRequest): Generator<Fields> {
  const shared = formFields(query)
  const json = parseJson(body)
  for (const message of list(json) ?? [fields(json) ?? formFields(body)]) yield { ...shared, ...fields(message) }
}

/**
 * The fields that are read from a query or a form. Others are dropped, because anybody can send any number of them.
 * `acc`, `alt`, `spd`, `dir` and `time` come from `%ALL` of GPSLogger (gpslogger, CustomUrlManager.java).
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

/**
 * The first value of each field. When the JSON of Traccar Client is broken, this still finds the fields that the app
 * puts into the JSON as `&id=…&lat=…&`.
 */
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
      // `speed_mps` is a name of this service, for apps that have the speed only in metres per second. `spd` is
      // GPSLogger's name, in the same unit.
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
/** Whether the app marks the position as invalid: the app has no fix and repeats the last known place. */
const isFalse = (value: unknown): boolean => value === false || value === "false" || value === "0" || value === 0

/** A time of this number or more counts milliseconds since 1970, a smaller number seconds. */
const SECONDS_END = 2_147_483_647

/** Reads seconds or milliseconds since 1970, ISO 8601, or `yyyy-MM-dd HH:mm:ss`, which counts as UTC. */
const time = (value: unknown, receivedAt: Timestamp.Timestamp): Timestamp.Timestamp => {
  if (isLeftOut(value)) return receivedAt
  const count = number(value)
  if (count !== undefined && !Number.isNaN(count)) return instant(count < SECONDS_END ? count * 1_000 : count)
  const text = typeof value === "string" ? withPlus(value.trim()) : ""
  return instant(isoMillis(/^\S+ \S+$/.test(text) ? `${text.replace(" ", "T")}Z` : text))
}
