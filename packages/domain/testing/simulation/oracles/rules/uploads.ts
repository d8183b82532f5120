import type { PhoneVisit } from "../../Operations.js"
import type { Oracle, Run } from "../../Oracle.js"
import { erased, erasuresOf } from "../support/phones/Erasures.js"
import { isPutAside } from "../support/phones/Phones.js"
import { type CompletedCall, happened } from "../support/trace/Happened.js"
import { index } from "../support/trace/Ops.js"

/** The oracle of the counts in the answers to uploads (decisions L3 and fixes-2). Oracle R8 judges the duplicates. */

type Mark = "yes" | "maybe" | "no"

const miscounted = (run: Run, operation: CompletedCall<"upload">): string | undefined => {
  const { args, begin, end, outcome } = operation
  if (outcome?._tag !== "ok" || index(run).clockWasSet(begin, end)) return undefined
  const { accepted, duplicates, quarantined } = outcome.value
  const readings = args.fixes.map((fix): Mark => {
    const aside = isPutAside(fix, operation)
    // The service stores no reading from a deleted stretch of history, and counts it as quarantined. If the upload has
    // the same reading of the stretch twice, one counts as quarantined and the other as a duplicate.
    return aside === "no" && erased(run, args.userId, fix.capturedAt, begin, end) !== "no" ? "maybe" : aside
  })
  const reports = args.visits.map((visit) => reportAside(run, operation, visit))
  const all = [...readings, ...reports]
  const least = all.filter((mark) => mark === "yes").length
  const most = all.filter((mark) => mark !== "no").length
  if (quarantined < least || quarantined > most)
    return `${quarantined} readings were quarantined, and it should be ${least} to ${most}`
  // No count of the answer includes accepted visits.
  const others = accepted + duplicates + quarantined - readings.length
  const [fewest, mostReports] = [reports.filter((mark) => mark === "yes"), reports.filter((mark) => mark !== "no")]
  return others < fewest.length || others > mostReports.length
    ? `${accepted + duplicates + quarantined} readings were counted, and ${readings.length} were sent`
    : undefined
}

/** Whether the service quarantines a visit that a phone reported, or does not keep it. */
const reportAside = (
  run: Run,
  operation: CompletedCall<"upload">,
  { arrival, departure, lat, lon }: PhoneVisit
): Mark => {
  const times = [arrival, departure].filter((at) => at !== null)
  if (times.length === 0 || (arrival !== null && departure !== null && departure < arrival)) return "yes"
  const marks = times.map((capturedAt) => isPutAside({ capturedAt, lat, lon, accuracyM: null }, operation))
  if (marks.includes("yes")) return "yes"
  return marks.includes("maybe") || erasuresOf(run, operation.args.userId).length > 0 ? "maybe" : "no"
}

const f1: Oracle = {
  name: "F1",
  rule: "The answer to an upload counts each reading once, and as quarantined the readings that are impossible, more than 5 minutes ahead or of a deleted stretch, and no others (decisions L3, M3, fixes-2)",
  check: (run) =>
    happened(run)
      .of("upload")
      .flatMap((operation) => {
        const detail = miscounted(run, operation)
        return detail === undefined ? [] : [{ at: operation.end, detail }]
      })
}

export const uploads: ReadonlyArray<Oracle> = [f1]
