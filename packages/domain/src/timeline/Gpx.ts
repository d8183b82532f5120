// Writes fixes as a GPX 1.1 file, in the same form as the GPX files of an exported archive. Map programs and the
// service's own import can read the file.
import { GPX_BEGIN, GPX_END, trackWriter } from "../exports/Entries.js"
import type { StoredFix } from "../fixes/Fix.js"

/**
 * The most readings in the file of a day: more than one reading for each second. For a day with more readings, the file
 * has only the first `MOST_READINGS` of them.
 */
export const MOST_READINGS = 100_000

/** Writes the tracks, each with the fixes of one device. The file of a day without readings has no track. */
export const write = (tracks: ReadonlyArray<ReadonlyArray<StoredFix>>): string =>
  GPX_BEGIN + trackWriter()(tracks.flat(), true) + GPX_END
