import type { Entry } from "@place-access/domain/imports"
import { expect } from "vitest"

/**
 * An entry in short: `time lat lon accuracy altitude speed course`, `visit from to lat lon`, `place label`, `notice
 * kind`, `erased from until` or `unusable`.
 */
export const short = (entry: Entry.ImportEntry): string => {
  if (entry._tag === "Unusable") return "unusable"
  if (entry._tag === "Place") return `place ${entry.place.label}`
  if (entry._tag === "Notice") return `notice ${entry.kind}`
  if (entry._tag === "Erased") return `erased ${entry.stretch.from} ${entry.stretch.until}`
  if (entry._tag === "Visit") {
    const { accuracyM, arrival, departure, lat, lon } = entry.visit
    expect(accuracyM).toBeNull()
    return `visit ${iso(arrival)} ${iso(departure)} ${lat} ${lon}`
  }
  const { accuracyM, altitudeM, capturedAt, courseDeg, lat, lon, speedMps } = entry.reading
  return [iso(capturedAt), lat, lon, ...[accuracyM, altitudeM, speedMps, courseDeg].map((one) => one ?? "-")].join(" ")
}
const iso = (millis: number | null): string => new Date(millis ?? Number.NaN).toISOString().replace(".000Z", "Z")
