import type { Import } from "@place-access/domain/imports"
import { Gunzip } from "fflate"
import type { Expansion } from "./Expansion.js"
import { NO_ENTRIES, slices, type StepReader, type Steps } from "./Steps.js"
import { UnsafeArchive } from "./ZipStream.js"

/** The compressed bytes that are expanded at a time: at the highest ratio that the format has they become 4 MiB. */
const SLICE_BYTES = 4_096

/** Reads the file inside a gzip file piece by piece, while it expands the gzip file. */
export const open = (expansion: Expansion, openInner: () => StepReader): StepReader => {
  const inner = openInner()
  let fault: Import.ImportFault | null = null
  /** The expanded bytes that are not read yet. */
  let expanded: Array<Uint8Array> = []
  const gunzip = new Gunzip((bytes) => {
    expansion.unpacked(bytes.length)
    if (bytes.length > 0) expanded.push(bytes)
  })

  /**
   * Expands a slice, and reads what was expanded. When the slice is damaged, the bytes that were expanded before the
   * damage are still read.
   */
  const readSlice = function* (slice: Uint8Array, isLast: boolean): Steps<void> {
    let failure: Import.ImportFault | null = null
    try {
      gunzip.push(slice, isLast)
    } catch (error) {
      failure = error instanceof UnsafeArchive ? "unsafe_archive" : isLast ? "cut_off" : "damaged"
    }
    const pieces = expanded
    expanded = []
    for (const piece of pieces) {
      if (fault === null) fault = (yield* inner.push(piece)).fault
    }
    fault ??= failure
  }

  return {
    format: () => inner.format(),
    push: function* (bytes) {
      for (const slice of slices(bytes, SLICE_BYTES)) {
        if (fault !== null) break
        expansion.packed(slice.length)
        yield* readSlice(slice, false)
        yield NO_ENTRIES
      }
      return { fault }
    },
    end: function* () {
      if (fault === null) yield* readSlice(new Uint8Array(0), true)
      if (fault === null) fault = (yield* inner.end()).fault
      return { fault }
    }
  }
}
