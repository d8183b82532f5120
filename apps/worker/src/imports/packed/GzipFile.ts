import type { Entry, FileReader, Import, Read } from "@place-access/domain/imports"
import { Gunzip } from "fflate"
import type { Expansion } from "./Expansion.js"
import { UnsafeArchive } from "./ZipStream.js"

/** The compressed bytes that are expanded at a time: at the highest ratio that the format has they become 4 MiB. */
const SLICE_BYTES = 4_096

/** Reads the file inside a gzip file piece by piece, while it expands the gzip file. */
export const open = (expansion: Expansion, openInner: () => FileReader): FileReader => {
  const inner = openInner()
  let entries: Array<Entry.ImportEntry> = []
  let fault: Import.ImportFault | null = null

  const add = (read: Read): void => {
    for (const entry of read.entries) entries.push(entry)
    fault ??= read.fault
  }
  const gunzip = new Gunzip((bytes) => {
    expansion.unpacked(bytes.length)
    if (fault === null && bytes.length > 0) add(inner.push(bytes))
  })

  const read = (work: () => void, otherwise: Import.ImportFault): Read => {
    try {
      if (fault === null) work()
    } catch (error) {
      fault ??= error instanceof UnsafeArchive ? "unsafe_archive" : otherwise
    }
    const read = { entries, fault }
    entries = []
    return read
  }

  return {
    format: () => inner.format(),
    push: (bytes) =>
      read(() => {
        for (let from = 0; from < bytes.length && fault === null; from += SLICE_BYTES) {
          const slice = bytes.subarray(from, from + SLICE_BYTES)
          expansion.packed(slice.length)
          gunzip.push(slice)
        }
      }, "damaged"),
    end: () =>
      read(() => {
        gunzip.push(new Uint8Array(0), true)
        if (fault === null) add(inner.end())
      }, "cut_off")
  }
}
