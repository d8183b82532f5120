import type { Fix } from "@place-access/domain/fixes"
import type { Timestamp } from "@place-access/domain/shared"
import type { VisitReport } from "@place-access/domain/fixes"
import { Data } from "effect"
import { degrees, type Fields, fields, instant, isoMillis, list, number, type PhoneUpload } from "./PhoneUpload.js"

// Decodes the uploads of Overland (decision devices-8).

/**
 * The features of a batch of Overland (github.com/aaronpk/Overland-iOS, GLManager.m): `{ locations: [Feature],
 * current?, trip? }`. Undefined if the body is something else. `current` is ignored: the app sends the same reading
 * again later, in the order of time. If `current` were stored early, the older readings that follow would look out of
 * order to the rules.
 */
export const features = (body: unknown): ReadonlyArray<unknown> | undefined => list(fields(body)?.["locations"])

/** The content of a feature. `Nothing`: the service stores nothing of the feature. */
export type Content = Data.TaggedEnum<{
  Reading: { readonly reading: Fix.Reading }
  Visit: { readonly visit: VisitReport.VisitReport }
  Nothing: {}
}>
const Content = Data.taggedEnum<Content>()

/** Decodes one feature; never fails. */
export const decode = (feature: unknown): Content => {
  const sent = fields(feature)
  const properties = fields(sent?.["properties"]) ?? {}
  const coordinates = list(fields(sent?.["geometry"])?.["coordinates"])
  if (properties["action"] === "visit") return Content.Visit({ visit: visit(properties, coordinates) })
  return coordinates !== undefined && isMeasured(properties)
    ? Content.Reading({ reading: reading(properties, coordinates) })
    : Content.Nothing()
}

/** The readings and the visits of a batch. */
export const upload = (batch: ReadonlyArray<Content>): PhoneUpload => ({
  readings: batch.flatMap((one) => (one._tag === "Reading" ? one.reading : [])),
  visits: batch.flatMap((one) => (one._tag === "Visit" ? one.visit : []))
})

/**
 * Whether a feature is a reading. The app also sends features that are no readings: actions of the app itself (with the
 * last known position and the time of the action), and summaries of trips.
 */
const isMeasured = (properties: Fields): boolean =>
  (properties["action"] ?? null) === null && properties["type"] !== "trip"

const reading = (properties: Fields, [lon, lat]: ReadonlyArray<unknown>): Fix.Reading => ({
  capturedAt: instant(isoMillis(properties["timestamp"])),
  lat: degrees(lat),
  lon: degrees(lon),
  accuracyM: number(properties["horizontal_accuracy"]),
  // On iOS a negative `vertical_accuracy` means that the altitude is not valid.
  altitudeM: (number(properties["vertical_accuracy"]) ?? 0) < 0 ? undefined : number(properties["altitude"]),
  speedMps: number(properties["speed"]),
  courseDeg: number(properties["course"])
})

const visit = (properties: Fields, [lon, lat]: ReadonlyArray<unknown> = []): VisitReport.VisitReport => ({
  arrival: visitTime(properties["arrival_date"]),
  departure: visitTime(properties["departure_date"]),
  lat: degrees(lat),
  lon: degrees(lon),
  accuracyM: number(properties["horizontal_accuracy"]) ?? null
})

/**
 * The years 1900 and 4000. iOS writes an unknown time as distantPast (year 1) or distantFuture (year 4001). So a time
 * before 1900 or after 4000 counts as unknown.
 */
const DISTANT_PAST = -2_208_988_800_000
const DISTANT_FUTURE = 64_060_588_800_000

const visitTime = (value: unknown): Timestamp.Timestamp | null => {
  const millis = isoMillis(value)
  return millis === undefined || millis < DISTANT_PAST || millis > DISTANT_FUTURE ? null : instant(millis)
}
