import * as Fix from "../fixes/Fix.js"
import * as History from "../history/History.js"
import { make, type Timestamp } from "../shared/Timestamp.js"
import * as VisitReport from "../visits/VisitReport.js"
import { recentFrom } from "./Import.js"

/** One thing that a file says about where somebody was. */
export type Entry =
  | { readonly _tag: "Reading"; readonly reading: Fix.Reading }
  | { readonly _tag: "Visit"; readonly visit: VisitReport.VisitReport }
  /** It has no time, or no place. */
  | { readonly _tag: "Unusable" }

/** What becomes of some entries: those that are to be stored, and how many are not. */
export interface Sorted {
  readonly fixes: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  readonly tooRecent: number
  readonly tooOld: number
  readonly quarantined: number
}

/**
 * By the rules for phones' readings; what is impossible is not kept apart, because its owner has the file. `cutoff`: of the history
 * that the user wants to be kept.
 */
export const sort = (entries: ReadonlyArray<Entry>, uploadedAt: Timestamp, cutoff: Timestamp | null): Sorted => {
  const fixes: Array<Fix.Fix> = []
  const visits: Array<VisitReport.VisitReport> = []
  const recent = recentFrom(uploadedAt)
  let tooRecent = 0
  let tooOld = 0
  let quarantined = 0
  for (const entry of entries) {
    const judged = judge(entry, uploadedAt)
    if (judged === undefined) {
      quarantined++
      continue
    }
    const at = judged._tag === "Fix" ? judged.fix.capturedAt : lastOf(judged.visit)
    if (at > recent) tooRecent++
    else if (History.isPast(at, cutoff)) tooOld++
    else if (judged._tag === "Fix") fixes.push(judged.fix)
    else visits.push(judged.visit)
  }
  return { fixes, visits, tooRecent, tooOld, quarantined }
}

/** A visit belongs to the moment of its end; one without any time was put aside before. */
const lastOf = ({ arrival, departure }: VisitReport.VisitReport): Timestamp => departure ?? arrival ?? make(0)

const judge = (entry: Entry, uploadedAt: Timestamp) => {
  if (entry._tag === "Unusable") return undefined
  const judged =
    entry._tag === "Reading" ? Fix.judge(entry.reading, uploadedAt) : VisitReport.judge(entry.visit, uploadedAt)
  return judged._tag === "Quarantined" ? undefined : judged
}
