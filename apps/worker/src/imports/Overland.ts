import type { Entry } from "@place-access/domain/imports"
import type { Timestamp } from "@place-access/domain/shared"
import * as GeoJson from "./GeoJson.js"
import { type JsonValue, member, moment, number } from "./Values.js"

const UNUSABLE: Entry.ImportEntry = { _tag: "Unusable" }

/**
 * Reads a feature of a batch of the app Overland, by the rules for an upload of the app (decision devices-8). The app
 * also logs its own actions, with the last known place but the time of the action, and summaries of trips. A visit has
 * the action `visit`. Other actions, and summaries, give no entries.
 */
export const feature = (element: JsonValue): ReadonlyArray<Entry.ImportEntry> => {
  const { geometry, properties } = element
  const action = member(properties, "action") ?? null
  if (action === "visit") return [visit(member(geometry, "coordinates"), properties)]
  return action !== null || member(properties, "type") === "trip" ? [] : GeoJson.feature(element)
}

const visit = (coordinates: unknown, properties: unknown): Entry.ImportEntry => {
  const [lon, lat] = Array.isArray(coordinates) ? coordinates.map(number) : []
  if (lat === undefined || lon === undefined) return UNUSABLE
  const [arrival, departure] = ["arrival_date", "departure_date"].map((name) => known(moment(member(properties, name))))
  const accuracyM = number(member(properties, "horizontal_accuracy")) ?? null
  return {
    _tag: "Visit",
    visit: { arrival: arrival ?? null, departure: departure ?? null, lat, lon, accuracyM }
  }
}

/**
 * The beginnings of the years 1900 and 4000. Times that are not between these two count as unknown, because iOS writes
 * an unknown time as distantPast (year 1) or distantFuture (year 4001).
 */
const DISTANT_PAST = -2_208_988_800_000
const DISTANT_FUTURE = 64_060_588_800_000

const known = (at: Timestamp.Timestamp | undefined): Timestamp.Timestamp | undefined =>
  at === undefined || at < DISTANT_PAST || at > DISTANT_FUTURE ? undefined : at
