import type { NoticeKind } from "../accounts/NoticeKind.js"
import * as Fix from "../fixes/Fix.js"
import * as Erasure from "../retention-choice/Erasure.js"
import { isPast } from "../retention-choice/History.js"
import { make, type Timestamp } from "../shared/Timestamp.js"
import * as VisitReport from "../fixes/VisitReport.js"
import { recentFrom } from "./Import.js"
import type { MonthTally } from "./Months.js"
import type { ImportedDevice, ImportedFix, ImportedVisit } from "./ImportedDevice.js"
import * as ImportedPlace from "./ImportedPlace.js"

/**
 * One entry of a file: a reading, a visit, a place, a kind of notice that the person had chosen, a stretch of deleted
 * history, or something unusable.
 */
export type ImportEntry =
  /**
   * `origin`: the id of the device in the file; undefined when the file does not name the device. `isLeftBehind`: an
   * archive of this service says that the person had left the device behind (`Fix.MarkedFix`). `alsoFrom`: the ids of
   * the imported files, listed in the same archive, that contain the same fix.
   */
  | {
      readonly _tag: "Reading"
      readonly reading: Fix.Reading
      readonly isLeftBehind?: true
      readonly origin?: string | undefined
      readonly alsoFrom?: ReadonlyArray<string>
    }
  | { readonly _tag: "Visit"; readonly visit: VisitReport.VisitReport; readonly origin?: string | undefined }
  /** Only in an archive of this service: a place. */
  | { readonly _tag: "Place"; readonly place: ImportedPlace.ImportedPlace }
  /** Only in an archive of this service: a kind of mail that the person had chosen to get. */
  | { readonly _tag: "Notice"; readonly kind: NoticeKind }
  /** Only in an archive of this service: a stretch of time whose history the person had deleted. */
  | { readonly _tag: "Erased"; readonly stretch: Erasure.Stretch }
  /** An entry that cannot be read, for example because it has no time or no position. */
  | { readonly _tag: "Unusable" }

/** The fixes and visits of a file. Only these entries become part of the person's history. */
export interface History {
  readonly fixes: ReadonlyArray<ImportedFix>
  readonly visits: ReadonlyArray<ImportedVisit>
}

/** The entries to store, and for each reason the number of entries that are not stored. */
export interface SortedEntries extends History {
  readonly places: ReadonlyArray<ImportedPlace.ImportedPlace>
  readonly notices: ReadonlyArray<NoticeKind>
  /** The deleted stretches to restore (decision exports-10). */
  readonly erasures: ReadonlyArray<Erasure.Stretch>
  readonly tooRecent: number
  readonly tooOld: number
  readonly quarantined: number
}

/**
 * Applies the rules for phones' readings to the entries of a file. An impossible entry is only counted. It need not be
 * kept in quarantine like a phone's reading, because the owner still has the entry in the file. `cutoff`: the user
 * keeps only history after this time; null: all history. `withoutErased` later leaves out the entries in stretches of
 * time that the user deleted. `tally` counts readings, visits and unusable entries by month. `deviceOf` finds the
 * device of an entry (`ImportedDevice.finder`).
 */
export const sort = (
  entries: ReadonlyArray<ImportEntry>,
  uploadedAt: Timestamp,
  cutoff: Timestamp | null,
  tally?: MonthTally,
  deviceOf: (origin: string | undefined) => ImportedDevice | undefined = () => undefined
): SortedEntries => {
  const fixes: Array<ImportedFix> = []
  const visits: Array<ImportedVisit> = []
  const places: Array<ImportedPlace.ImportedPlace> = []
  const notices: Array<NoticeKind> = []
  const erasures: Array<Erasure.Stretch> = []
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
    if (entry._tag === "Notice") {
      notices.push(entry.kind)
      continue
    }
    if (entry._tag === "Erased") {
      const { from, until } = entry.stretch
      if (from >= until) quarantined++
      else if (until > recent) tooRecent++
      else if (isPast(until, cutoff)) tooOld++
      else erasures.push(entry.stretch)
      continue
    }
    // `deviceOf` gets the devices in the order of the file, also for entries that are not stored. So an attempt that
    // reads the file again finds the same devices.
    const device = entry._tag === "Unusable" ? undefined : deviceOf(entry.origin)
    const others = entry._tag === "Reading" ? (entry.alsoFrom ?? []).map(deviceOf) : []
    const alsoOf = others.filter((other) => other?.id !== device?.id)
    const ofDevice = device === undefined ? {} : { device }
    const judged = judge(entry, uploadedAt)
    if (judged === undefined) {
      quarantined++
      tally?.add(timeOf(entry), "quarantined")
      continue
    }
    const at = judged._tag === "Fix" ? judged.fix.capturedAt : lastOf(judged.visit)
    const why = at > recent ? "tooRecent" : isPast(at, cutoff) ? "tooOld" : undefined
    tally?.add(at, why)
    if (why === "tooRecent") tooRecent++
    else if (why === "tooOld") tooOld++
    else if (judged._tag === "Visit") visits.push({ ...judged.visit, ...ofDevice })
    else {
      const ofOthers = alsoOf.length === 0 ? {} : { alsoOf }
      const mark = isMarked(entry) ? ({ isLeftBehind: true } as const) : {}
      fixes.push({ ...judged.fix, ...ofDevice, ...ofOthers, ...mark })
    }
  }
  return { fixes, visits, places, notices, erasures, tooRecent, tooOld, quarantined }
}

/**
 * Leaves out the history in stretches of time that the user deleted, and counts the entries that it left out. The store
 * calls this function while it holds the lock of the user's uploads: so a stretch that the user deletes after the file
 * was read and before the entries are stored stays deleted (decision retention-choice-4).
 */
export const withoutErased = (
  { fixes, visits }: History,
  erasures: ReadonlyArray<Erasure.Stretch>
): History & { readonly erased: number } => {
  const kept = {
    fixes: fixes.filter(({ capturedAt }) => !Erasure.isErased(capturedAt, erasures)),
    visits: visits.flatMap((visit) => Erasure.withoutErased(visit, erasures) ?? [])
  }
  return { ...kept, erased: fixes.length - kept.fixes.length + visits.length - kept.visits.length }
}

/** The time that decides whether a visit is too old or too recent: the departure, or else the arrival. */
const lastOf = ({ arrival, departure }: VisitReport.VisitReport): Timestamp => departure ?? arrival ?? make(0)

type Dated = Exclude<ImportEntry, { readonly _tag: "Place" | "Notice" | "Erased" }>

const timeOf = (entry: Dated): Timestamp | undefined => {
  if (entry._tag === "Unusable") return undefined
  return entry._tag === "Reading"
    ? entry.reading.capturedAt
    : (entry.visit.departure ?? entry.visit.arrival ?? undefined)
}

const isMarked = (entry: Dated): boolean => entry._tag === "Reading" && entry.isLeftBehind === true

const judge = (entry: Dated, uploadedAt: Timestamp) => {
  if (entry._tag === "Unusable") return undefined
  const judged =
    entry._tag === "Reading" ? Fix.judge(entry.reading, uploadedAt) : VisitReport.judge(entry.visit, uploadedAt)
  return judged._tag === "Quarantined" ? undefined : judged
}
