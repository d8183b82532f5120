import type { Fix } from "@place-access/domain/fixes"
import type { VisitReport } from "@place-access/domain/visits"
import { degrees, fields, instant, isoMillis, number } from "./PhoneUpload.js"

/** One location of an upload in our own JSON, whatever it is. The domain puts aside what cannot be read. */
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

/** One visit. A time that is left out or null is not known; one that cannot be read makes the visit impossible. */
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
