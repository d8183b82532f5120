import type { VisitReport } from "../../../src/fixes/VisitReport.js"
import type { DeviceId } from "../../../src/shared/Ids.js"
import type { VisitReports } from "../../../src/visits/OsVisit.js"

/**
 * The visits that a device reported, earliest arrival first. A reported departure before the first reported arrival
 * gives no visit, because the service does not know when that visit began.
 */
export const tell = (
  { heardAt, historyEndsAt, id }: { readonly id: DeviceId } & Pick<VisitReports, "heardAt" | "historyEndsAt">,
  reports: ReadonlyArray<VisitReport>
): ReadonlyArray<VisitReports> => {
  const arrivals = [...new Set(reports.flatMap(({ arrival }) => (arrival === null ? [] : [arrival])))].sort(
    (a, b) => a - b
  )
  return arrivals.map((arrival, index) => {
    const nextArrival = arrivals[index + 1] ?? null
    return {
      deviceId: id,
      heardAt,
      historyEndsAt,
      arrival,
      nextArrival,
      reports: reports.filter((report) => report.arrival === arrival),
      departures: reports.filter(
        (report) =>
          report.arrival === null &&
          report.departure !== null &&
          report.departure >= arrival &&
          (nextArrival === null || report.departure < nextArrival)
      )
    }
  })
}
