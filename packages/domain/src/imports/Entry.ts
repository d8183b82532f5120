import * as Fix from "../fixes/Fix.js"
import type { Timestamp } from "../shared/Timestamp.js"
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
  readonly quarantined: number
}

/** By the rules for phones' readings; what is impossible is not kept apart, because its owner has the file. */
export const sort = (entries: ReadonlyArray<Entry>, uploadedAt: Timestamp): Sorted => {
  const fixes: Array<Fix.Fix> = []
  const visits: Array<VisitReport.VisitReport> = []
  const recent = recentFrom(uploadedAt)
  let tooRecent = 0
  let quarantined = 0
  for (const entry of entries) {
    const judged = judge(entry, uploadedAt)
    if (judged === undefined) quarantined++
    else if (judged._tag === "Fix") {
      if (judged.fix.capturedAt > recent) tooRecent++
      else fixes.push(judged.fix)
    } else {
      const { arrival, departure } = judged.visit
      if ((departure ?? arrival ?? 0) > recent) tooRecent++
      else visits.push(judged.visit)
    }
  }
  return { fixes, visits, tooRecent, quarantined }
}

const judge = (entry: Entry, uploadedAt: Timestamp) => {
  if (entry._tag === "Unusable") return undefined
  const judged =
    entry._tag === "Reading" ? Fix.judge(entry.reading, uploadedAt) : VisitReport.judge(entry.visit, uploadedAt)
  return judged._tag === "Quarantined" ? undefined : judged
}
