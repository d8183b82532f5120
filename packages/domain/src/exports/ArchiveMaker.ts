import { Context } from "effect"
import type { Timestamp } from "../shared/Timestamp.js"

/** The length and the hash of a file that was written to the archive. */
export interface WrittenFile {
  /** The length before compression, in bytes. */
  readonly bytes: number
  /** The SHA-256 hash of the file before compression, in lower-case hexadecimal digits. */
  readonly sha256: string
}

/** An archive that is being written, one file after the other. */
export interface ArchiveWriter {
  /** Begins a file. The previous file must have ended. */
  readonly begin: (name: string) => void
  /** Adds text to the file that was begun. */
  readonly write: (text: string) => void
  /** Ends the file. */
  readonly end: () => WrittenFile
  /** Ends the archive. */
  readonly close: () => void
  /** The bytes of the archive that were produced since the last call. */
  readonly take: () => Uint8Array
}

/** Writes archives in bounded memory. Writers are synchronous, because they compress a page within milliseconds. */
export class ArchiveMaker extends Context.Tag("@place-access/domain/exports/ArchiveMaker")<
  ArchiveMaker,
  { readonly open: (madeAt: Timestamp) => ArchiveWriter }
>() {}
