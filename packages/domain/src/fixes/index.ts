export * as Fix from "./Fix.js"
export { FixStore, type Quarantined, type UploadCommit, type UploadView } from "./FixStore.js"
export { type Ingested, ingestFixes } from "./ingestFixes.js"
export * as UploadEvaluation from "./UploadEvaluation.js"
