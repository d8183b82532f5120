import { UnsafeArchive } from "./ZipStream.js"

/** The most expanded bytes for each compressed one (decision imports-9). An export has 10 to 60. */
const MAX_RATIO = 200
/** Below this, the ratio does not count: a small file of one letter is no harm. */
const SLACK_BYTES = 1_048_576
/** Expanded bytes of the whole upload, with those of the files within it. */
const MAX_TOTAL_BYTES = 4 * 1_024 * 1_048_576
/** Files within the upload. */
const MAX_FILES = 30_000
/** A GPX file in a gzip file in a tar archive in a gzip file lies this deep. */
export const MAX_DEPTH = 3

/** Counts what comes out of one upload. The readers of packed files throw `UnsafeArchive` through it. */
export interface Expansion {
  readonly packed: (bytes: number) => void
  readonly unpacked: (bytes: number) => void
  readonly file: () => void
}

export const make = (): Expansion => {
  let [bytesIn, bytesOut, files] = [0, 0, 0]
  return {
    packed: (bytes) => void (bytesIn += bytes),
    unpacked: (bytes) => {
      bytesOut += bytes
      if (bytesOut > MAX_TOTAL_BYTES || bytesOut > SLACK_BYTES + MAX_RATIO * bytesIn) throw new UnsafeArchive()
    },
    file: () => {
      if (++files > MAX_FILES) throw new UnsafeArchive()
    }
  }
}
