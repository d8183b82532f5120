import { checkExpansion, UnsafeArchive } from "./ZipStream.js"

/**
 * The most expanded bytes of a whole import, including packed files inside packed files, unless `make` is given another
 * limit.
 */
const MAX_TOTAL_BYTES = 4 * 1_024 * 1_048_576
/** The most files within an upload. */
const MAX_FILES = 30_000
/**
 * How many packed files may enclose a file. An example of three: a GPX file in a gzip file in a tar archive in a gzip
 * file.
 */
export const MAX_DEPTH = 3

/** Counts the bytes and files of one upload. `unpacked` and `file` throw `UnsafeArchive` when a limit is passed. */
export interface Expansion {
  /** How many bytes the upload may have at most when it is expanded. */
  readonly most: number
  /** Counts bytes of the upload as it was sent, before anything is unpacked. */
  readonly packed: (bytes: number) => void
  readonly unpacked: (bytes: number) => void
  readonly file: () => void
}

export const make = (most = MAX_TOTAL_BYTES): Expansion => {
  let [bytesIn, bytesOut, files] = [0, 0, 0]
  return {
    most,
    packed: (bytes) => void (bytesIn += bytes),
    unpacked: (bytes) => {
      bytesOut += bytes
      checkExpansion(bytesIn, bytesOut, most)
    },
    file: () => {
      if (++files > MAX_FILES) throw new UnsafeArchive()
    }
  }
}

/**
 * The counter for a packed file within the upload. The packed bytes of this file do not count as bytes of the upload.
 * Otherwise each level of packed files could expand by the highest ratio (`checkExpansion`).
 */
export const within = (outer: Expansion): Expansion => ({ ...outer, packed: () => undefined })
