// Writes fixes as a GPX 1.1 file, in the same form as the GPX files of an exported archive. Map programs and the
// service's own import can read the file.
import { GPX_BEGIN, GPX_END, trackPoint } from "../exports/Entries.js"
import type { StoredFix } from "../fixes/Fix.js"

/** The fixes as one track, in their order. */
export const write = (fixes: ReadonlyArray<StoredFix>): string => GPX_BEGIN + fixes.map(trackPoint).join("") + GPX_END
