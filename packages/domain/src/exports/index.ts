/**
 * Exports: a person downloads an archive of their data. `requestExport` asks for an archive. A worker (`runExports`)
 * reads the stores page by page and stores the archive in encrypted pieces. A mail informs the owner, who can fetch the
 * archive with `openArchive` for a week. `ArchiveFormat` has the schema of each file in the archive. The room `imports`
 * can read a part of an archive back, for example its places and fixes.
 *
 * @module
 */

export * as ArchiveFormat from "./ArchiveFormat.js"
export { ArchiveMaker, type ArchiveWriter, type WrittenFile } from "./ArchiveMaker.js"
export type { ArchivePorts } from "./archiveFiles.js"
export * as Export from "./Export.js"
export {
  type ClaimedExport,
  type ExportEnd,
  type ExportPiece,
  ExportSource,
  ExportStore,
  type LeasedExport,
  type ListedDevice
} from "./ExportStore.js"
export * as WrittenMail from "./WrittenMail.js"
export {
  deleteExport,
  getExport,
  listExports,
  openArchive,
  type OpenedArchive,
  requestExport
} from "./manageExports.js"
export { exportNext, runExports } from "./runExports.js"
