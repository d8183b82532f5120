import type { Fix } from "@place-access/domain/fixes"
import type { VisitReport } from "@place-access/domain/fixes"
import { degrees, fields, instant, isoMillis, number } from "./PhoneUpload.js"

/**
 * Reads one location of an upload in our own JSON; never fails. The domain quarantines a location that cannot be read.
 */
export const reading = (location: unknown): Fix.Reading => {
  const sent = fields(location) ?? {}
  return {
    capturedAt: instant(isoMillis(sent["captured_at"])),
    lat: degrees(sent["lat"]),
    lon: degrees(sent["lon"]),
    accuracyM: number(sent["accuracy_m"]),
    altitudeM: number(sent["altitude_m"]),
    speedMps: number(sent["speed_mps"]),
    courseDeg: number(sent["course_deg"])
  }
}

/** Reads one visit. A time that is left out or null is unknown. A time that cannot be read makes the visit invalid. */
export const visit = (report: unknown): VisitReport.VisitReport => {
  const sent = fields(report) ?? {}
  return {
    arrival: time(sent["arrival"]),
    departure: time(sent["departure"]),
    lat: degrees(sent["lat"]),
    lon: degrees(sent["lon"]),
    accuracyM: number(sent["accuracy_m"]) ?? null
  }
}

const time = (value: unknown) => (value === undefined || value === null ? null : instant(isoMillis(value)))
