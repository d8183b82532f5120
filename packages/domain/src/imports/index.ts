/**
 * Imports: a user uploads a file of location history, from another service or from this one. An import is `waiting`,
 * then `running` while a worker reads the file in pieces under a lease, then `done` or `failed`. The import of a CSV
 * file may first be `asking`: the owner must name the columns. The owner can undo an import, which is then `undoing`.
 * The entries are added to the history, and no rule evaluates them. An archive of this service also brings back places,
 * deleted stretches of history and the choice of notices. The portal calls the programs of `manageImports`; workers
 * call `runImports`.
 *
 * @module
 */

export * as CsvColumns from "./CsvColumns.js"
export * as Entry from "./Entry.js"
export * as FileKind from "./FileKind.js"
export {
  confirmColumns,
  getImport,
  ImportTooLarge,
  listImports,
  readHeader,
  removeImport,
  startImport,
  undoImport
} from "./manageImports.js"
export * as Import from "./Import.js"
export * as ImportedDevice from "./ImportedDevice.js"
export * as ImportedPlace from "./ImportedPlace.js"
export { type FileReader, ImportReader, type ReadResult, withMore } from "./ImportReader.js"
export {
  type NewImport,
  type ClaimedImport,
  ImportStore,
  type Leased,
  type ImportKey,
  type ImportStep,
  type TableColumns
} from "./ImportStore.js"
export * as Months from "./Months.js"
export * as Pace from "./Pace.js"
export { runImports } from "./runImports.js"
