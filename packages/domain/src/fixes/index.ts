/**
 * Fixes: the location readings that phones upload. A reading is accepted, or quarantined with a reason when it cannot
 * be right; a reading from the future can become good later. `ingestFixes` takes in an upload: it stores new fixes,
 * evaluates the user's rules over them and writes the events of firings, in one commit. `ingestTogether`, which the
 * upload routes call, does this for several uploads of one person. Answers, exports and pages read fixes through
 * `FixHistory`.
 *
 * @module
 */

export * as Fix from "./Fix.js"
export { FixHistory, type HistoryStretch } from "./FixHistory.js"
export {
  FixStore,
  type QuarantineCount,
  type Quarantined,
  type SentFixes,
  type SettledCommit,
  type StoredUpload,
  type UploadCommit,
  type UploadView
} from "./FixStore.js"
export * as HistoryQuery from "./HistoryQuery.js"
export { checkFixes, type Day, type FixPage, latestFix, listDays, listFixes, nearestFix } from "./readFixes.js"
export * as LocalDays from "./LocalDays.js"
export * as Nearest from "./Nearest.js"
export * as RangePosition from "./RangePosition.js"
export { ingestFixes, ingestTogether, type ArrivedUpload } from "./ingestFixes.js"
export type { Ingested, IngestOutcome } from "./storeUploads.js"
export { runSettling, settleDue } from "./settleDue.js"
export * as UploadEvaluation from "./UploadEvaluation.js"
export * as UploadPace from "./UploadPace.js"
export * as FutureReading from "./FutureReading.js"
export * as VisitReport from "./VisitReport.js"
