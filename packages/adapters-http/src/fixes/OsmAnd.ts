import type { Fix } from "@place-access/domain/fixes"
import type { Timestamp } from "@place-access/domain/shared"
import { withPlus } from "../wire/Query.js"
import { degrees, type Fields, fields, instant, isFields, isoMillis, list, number } from "./PhoneUpload.js"

// Reads uploads of OsmAnd, Traccar Client and GPSLogger. This module refuses no reading: the domain quarantines a
// reading whose values cannot be read (decisions devices-10 and devices-12).

/**
 * A request in the protocol of OsmAnd, as the server Traccar reads it (traccar, OsmAndProtocolDecoder.java). Apps send
 * the fields as a query, as a form, or as JSON. Traccar Client nests the fields of its JSON; the SDK of Traccar Client
 * does not.
 */
export interface OsmAndRequest {
  /**
   * The fields of the query. When the fields of a message are not nested, the fields that the message lacks are read
   * from the query.
   */
  readonly query: Fields
  /** The messages of the body; without a body, one message without fields. */
  readonly messages: ReadonlyArray<Fields>
}

/**
 * Finds the query fields and the messages of a request. Elements of a list that are no messages are dropped. `query`:
 * the query string without the question mark. `json`: the body as JSON; undefined when the body is not JSON.
 */
export const requestOf = (query: string, body: string, json: unknown): OsmAndRequest => ({
  query: formFields(query),
  messages: list(json)?.filter(isFields) ?? [fields(json) ?? formFields(body)]
})

/**
 * The phone's identifier: the first value that is not empty, under any of its three names. Undefined when the request
 * has no identifier. One phone sends all messages of a request, so only the first message and the query are searched.
 */
export const deviceId = ({ messages, query }: OsmAndRequest): string | undefined => {
  for (const message of [{ ...query, ...messages[0] }, query]) {
    for (const name of ["id", "deviceid", "device_id"]) {
      const value = message[name]
      if (typeof value === "string" && value !== "") return value
    }
  }
  return undefined
}

/**
 * Splits a request into entries with at most one reading each: a message whose fields are not nested is one entry, and
 * each location of a message of Traccar Client is one entry. In a query or a form, `location` is a text, `lat,lon`.
 */
export const entries = ({ messages }: OsmAndRequest): ReadonlyArray<Fields> =>
  messages.flatMap((message): ReadonlyArray<Fields> => {
    const locations = list(message["location"])
    return locations === undefined ? [message] : locations.filter(isFields).map((location) => ({ location }))
  })

/**
 * Decodes one entry, and returns its reading; an empty list for an entry without a reading, such as a heartbeat.
 * `query`: the fields of the request's query. `receivedAt`: the time for a reading that was sent without a time.
 */
export const decode =
  (query: Fields, receivedAt: Timestamp.Timestamp) =>
  (entry: Fields): ReadonlyArray<Fix.Reading> => {
    const location = fields(entry["location"])
    return location === undefined ? flat({ ...query, ...entry }, receivedAt) : traccarClient(location, receivedAt)
  }

/**
 * The names of the fields that are read from a query or a form. Fields with other names are dropped, because anybody
 * can send any number of fields. `acc`, `alt`, `spd`, `dir` and `time` come from `%ALL` of GPSLogger (gpslogger,
 * CustomUrlManager.java).
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
 * The first value of each field of a form or a query. Traccar Client also puts the fields into its JSON as the text
 * `&id=…&lat=…&`. So when the JSON is broken, this function still finds the fields in it.
 */
const formFields = (text: string): Fields => {
  const found: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) if (NAMES.has(name)) found[name] ??= value
  return found
}

const KNOTS = 1_852 / 3_600

const flat = (message: Fields, receivedAt: Timestamp.Timestamp): ReadonlyArray<Fix.Reading> => {
  const { location } = message
  // `location` has two parts; further parts are ignored. Because of the limit of 2, a text of many commas does not
  // become a long list.
  const [lat, lon] = typeof location === "string" ? location.split(",", 2) : [message["lat"], message["lon"]]
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
      // In OsmAnd's protocol, `speed` is in knots. `speed_mps` is a name of this service, for apps that know the speed
      // in metres per second only. `spd` is GPSLogger's name for the speed in metres per second.
      speedMps:
        number(message["speed_mps"]) ?? number(message["spd"]) ?? (knots === undefined ? undefined : knots * KNOTS),
      courseDeg: number(message["bearing"]) ?? number(message["heading"]) ?? number(message["dir"])
    }
  ]
}

const traccarClient = (location: Fields, receivedAt: Timestamp.Timestamp): ReadonlyArray<Fix.Reading> => {
  const coords = fields(location["coords"])
  if (coords === undefined) return []
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
/**
 * Whether the field `valid` says false, in upper or lower case: the app has no new position and repeats the last known
 * position.
 */
const isFalse = (value: unknown): boolean =>
  value === false || value === 0 || (typeof value === "string" && /^(?:false|0)$/i.test(value))

/** From this number on, a time counts milliseconds since 1970. A smaller number counts seconds. */
const SECONDS_END = 2_147_483_647

/** A date and a time without a zone, with a `T` or a blank between them. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)$/

/** Reads seconds or milliseconds since 1970, or ISO 8601. A time without a zone is UTC. */
const time = (value: unknown, receivedAt: Timestamp.Timestamp): Timestamp.Timestamp => {
  if (isLeftOut(value)) return receivedAt
  const count = number(value)
  if (count !== undefined && !Number.isNaN(count)) return instant(count < SECONDS_END ? count * 1_000 : count)
  const text = typeof value === "string" ? withPlus(value.trim()) : ""
  return instant(isoMillis(text.replace(WITHOUT_ZONE, "$1T$2Z")))
}
