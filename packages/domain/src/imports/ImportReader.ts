import { Context } from "effect"
import type { Entry } from "./Entry.js"
import type { Fault, Format } from "./Import.js"

/** What a piece of a file brought: entries that are complete now, in order, and why the rest cannot be read. */
export interface Read {
  readonly entries: ReadonlyArray<Entry>
  /** Final: what is pushed afterwards brings nothing. */
  readonly fault: Fault | null
}

/**
 * One file being read from its beginning. The same bytes give the same entries, however they are cut into pieces, and memory does
 * not grow with the file, however it was made.
 */
export interface FileReader {
  /** Null until it is certain. */
  readonly format: () => Format | null
  /** What the next bytes of the file make whole. */
  readonly push: (bytes: Uint8Array) => Read
  /** Nothing more comes. */
  readonly end: () => Read
}

/** Knows the formats. Synchronous: reading a piece takes milliseconds. */
export class ImportReader extends Context.Tag("@place-access/domain/imports/ImportReader")<
  ImportReader,
  {
    /** A reader for one file, from its first byte. */
    readonly open: () => FileReader
  }
>() {}
