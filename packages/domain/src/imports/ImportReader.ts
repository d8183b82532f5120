import { Context } from "effect"
import type { CsvColumns } from "./CsvColumns.js"
import type { ImportEntry } from "./Entry.js"
import type { ImportFault, ImportFormat } from "./Import.js"

/** The result of one piece of a file: the entries that it completes, in order, and the fault that ends the reading. */
export interface ReadResult {
  readonly entries: ReadonlyArray<ImportEntry>
  /** Why the rest of the file cannot be read. After a fault, later pieces give no entries. Null: no fault. */
  readonly fault: ImportFault | null
  /**
   * Set only in a result of `end`: the reader needs one more pass from the beginning of the file, for example because a
   * zip file has the list of its contents at the end. Left out: no more pass.
   */
  readonly needsAnotherPass?: true
  /**
   * Reads further entries of the bytes that were read last. The caller must call `more` before the next `push` or
   * `end`. Left out: all entries of these bytes have been read. A small piece of a packed file can contain millions of
   * entries, which would fill the memory if one result had all of them.
   */
  readonly more?: () => ReadResult
}

/** Yields a result of `push` or `end`, and then each further result that `more` of the previous result returns. */
export function* withMore(first: ReadResult): Generator<ReadResult, void> {
  for (let read: ReadResult | undefined = first; read !== undefined; read = read.more?.()) yield read
}

/**
 * Reads a file from its beginning, piece by piece. The size of the pieces does not change the result. The reader needs
 * bounded memory, even for a hostile file.
 */
export interface FileReader {
  /** The format of the file. Null until the format is recognised. */
  readonly format: () => ImportFormat | null
  /** Reads the next bytes of the file. */
  readonly push: (bytes: Uint8Array) => ReadResult
  /** Ends the file, and returns the entries that were not complete before. */
  readonly end: () => ReadResult
}

/** Makes readers for all formats. Readers are synchronous, because reading a piece takes only a few milliseconds. */
export class ImportReader extends Context.Tag("@place-access/domain/imports/ImportReader")<
  ImportReader,
  {
    /**
     * `columns`: the columns of a CSV file. Left out: the reader finds the columns by the names in the first line.
     * `mostUnpacked`: the most bytes to which a packed file may unpack. Left out: the bound of imports (decision
     * imports-9).
     */
    readonly open: (columns?: CsvColumns, mostUnpacked?: number) => FileReader
  }
>() {}
