// Writes fixes as a GPX 1.1 file, in the same form as the GPX files of an exported archive. Map programs and the
// service's own import can read the file.
import { GPX_BEGIN, GPX_END, GPX_NEXT_TRACK, trackPoint } from "../exports/Entries.js"
import type { StoredFix } from "../fixes/Fix.js"

/**
 * The most readings of a day in one file: more than one reading a second. Of a day with more readings, the file has
 * only the first readings.
 */
export const MOST_READINGS = 100_000

/** The tracks in their order. The file of a day without readings has one empty track. */
export const write = (tracks: ReadonlyArray<ReadonlyArray<StoredFix>>): string =>
  GPX_BEGIN + tracks.map((track) => track.map(trackPoint).join("")).join(GPX_NEXT_TRACK) + GPX_END
