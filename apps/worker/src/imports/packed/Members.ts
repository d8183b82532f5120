import type { Entry, FileReader, Import, Read } from "@place-access/domain/imports"

/** Reads the files of an archive one after the other, and passes over those that hold no location history. */
export interface Members {
  readonly begin: () => void
  /** False: the rest of the present file is not needed. */
  readonly isWanted: () => boolean
  readonly bytes: (bytes: Uint8Array) => void
  readonly end: () => void
  /** The entries since the last call. */
  readonly taken: () => Array<Entry.ImportEntry>
  /** The format of the first file that was read; null: none was read. */
  readonly format: () => Import.ImportFormat | null
  /** After the last file: why the archive was not read, or not completely; null: it was read completely. */
  readonly fault: () => Import.ImportFault | null
}

/**
 * A file of an unknown format is no fault: a Takeout has photos and lists beside the locations. A damaged file is a
 * fault, but the files after it are still read.
 */
export const make = (openInner: () => FileReader): Members => {
  let entries: Array<Entry.ImportEntry> = []
  let inner: FileReader | undefined
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null

  const add = (read: Read): void => {
    for (const entry of read.entries) entries.push(entry)
    format ??= inner?.format() ?? null
    if (read.fault === null) return
    inner = undefined
    if (read.fault !== "not_ours") fault ??= read.fault
  }

  return {
    begin: () => void (inner = openInner()),
    isWanted: () => inner !== undefined,
    bytes: (bytes) => {
      if (inner !== undefined) add(inner.push(bytes))
    },
    end: () => {
      if (inner !== undefined) add(inner.end())
      inner = undefined
    },
    taken: () => {
      const taken = entries
      entries = []
      return taken
    },
    format: () => format,
    fault: () => fault ?? (format === null ? "nothing_inside" : null)
  }
}
