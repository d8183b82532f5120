import type { Import } from "@place-access/domain/imports"
import type { StepReader, Steps } from "./Steps.js"

/** Reads the files of an archive one after the other, and skips files without location history. */
export interface Members {
  /** `path`: the folders and the name of the file. */
  readonly begin: (path: string) => void
  /** False: the reader does not need the remaining bytes of the current file. */
  readonly isWanted: () => boolean
  readonly bytes: (bytes: Uint8Array) => Steps<void>
  readonly end: () => Steps<void>
  /** The format of the first file that was read; null when no file was read. */
  readonly format: () => Import.ImportFormat | null
  /**
   * Called after the last file. Returns why the archive was not read completely, or that it has no location file; null
   * without a fault.
   */
  readonly fault: () => Import.ImportFault | null
}

/**
 * Makes the reader of an archive's files. A file of an unknown format is no fault, because a Takeout has photos and
 * lists beside the locations. A packed file without a location file is no fault either. A damaged file is a fault, but
 * the files after it are still read.
 */
export const make = (openInner: (path: string) => StepReader): Members => {
  let inner: StepReader | undefined
  let format: Import.ImportFormat | null = null
  let fault: Import.ImportFault | null = null

  const add = function* (steps: Steps): Steps<void> {
    const read = yield* steps
    format ??= inner?.format() ?? null
    if (read.fault === null) return
    inner = undefined
    if (read.fault !== "not_ours" && read.fault !== "nothing_inside") fault ??= read.fault
  }

  return {
    begin: (path) => void (inner = openInner(path)),
    isWanted: () => inner !== undefined,
    bytes: function* (bytes) {
      if (inner !== undefined) yield* add(inner.push(bytes))
    },
    end: function* () {
      if (inner !== undefined) yield* add(inner.end())
      inner = undefined
    },
    format: () => format ?? inner?.format() ?? null,
    fault: () => fault ?? (format === null ? "nothing_inside" : null)
  }
}
