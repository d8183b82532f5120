import * as Fix from "../fixes/Fix.js"
import * as Erasure from "../retention-choice/Erasure.js"
import * as History from "../retention-choice/History.js"
import { make, type Timestamp } from "../shared/Timestamp.js"
import * as VisitReport from "../fixes/VisitReport.js"
import { recentFrom } from "./Import.js"
import * as ImportedPlace from "./ImportedPlace.js"

/** One entry of a file: a fix, a visit, a place, or something unusable. */
export type ImportEntry =
  | { readonly _tag: "Reading"; readonly reading: Fix.Reading }
  | { readonly _tag: "Visit"; readonly visit: VisitReport.VisitReport }
  /** A place of the person's own archive. */
  | { readonly _tag: "Place"; readonly place: ImportedPlace.ImportedPlace }
  /** An entry without a time or a place. */
  | { readonly _tag: "Unusable" }

/** The entries to store, and the number of entries that are not stored. */
export interface Sorted {
  readonly fixes: ReadonlyArray<Fix.Fix>
  readonly visits: ReadonlyArray<VisitReport.VisitReport>
  readonly places: ReadonlyArray<ImportedPlace.ImportedPlace>
  readonly tooRecent: number
  readonly tooOld: number
  readonly quarantined: number
}

/**
 * Applies the rules for phones' readings to the entries of a file. An impossible entry is counted and not stored,
 * because its owner has the file. `cutoff` is the time from which the user keeps history; what the user deleted counts
 * as too old.
 */
export const sort = (
  entries: ReadonlyArray<ImportEntry>,
  uploadedAt: Timestamp,
  { cutoff, erasures }: { readonly cutoff: Timestamp | null; readonly erasures: ReadonlyArray<Erasure.Stretch> }
): Sorted => {
  const fixes: Array<Fix.Fix> = []
  const visits: Array<VisitReport.VisitReport> = []
  const places: Array<ImportedPlace.ImportedPlace> = []
  const recent = recentFrom(uploadedAt)
  let tooRecent = 0
  let tooOld = 0
  let quarantined = 0
  for (const entry of entries) {
    if (entry._tag === "Place") {
      if (ImportedPlace.isPossible(entry.place, uploadedAt)) places.push(entry.place)
      else quarantined++
      continue
    }
    const judged = judge(entry, uploadedAt)
    if (judged === undefined) {
      quarantined++
      continue
    }
    const at = judged._tag === "Fix" ? judged.fix.capturedAt : lastOf(judged.visit)
    const visit = judged._tag === "Fix" ? undefined : Erasure.withoutErased(judged.visit, erasures)
    const isErased = judged._tag === "Fix" ? Erasure.isErased(at, erasures) : visit === undefined
    if (at > recent) tooRecent++
    else if (isErased || History.isPast(at, cutoff)) tooOld++
    else if (visit !== undefined) visits.push(visit)
    else if (judged._tag === "Fix") fixes.push(judged.fix)
  }
  return { fixes, visits, places, tooRecent, tooOld, quarantined }
}

/** The time that counts for a visit: its end. */
const lastOf = ({ arrival, departure }: VisitReport.VisitReport): Timestamp => departure ?? arrival ?? make(0)

const judge = (entry: Exclude<ImportEntry, { readonly _tag: "Place" }>, uploadedAt: Timestamp) => {
  if (entry._tag === "Unusable") return undefined
  const judged =
    entry._tag === "Reading" ? Fix.judge(entry.reading, uploadedAt) : VisitReport.judge(entry.visit, uploadedAt)
  return judged._tag === "Quarantined" ? undefined : judged
}
