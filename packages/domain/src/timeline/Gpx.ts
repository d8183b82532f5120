// Fixes as a GPX 1.1 file, as in an archive. Maps and our own import can read such a file.
import { GPX_BEGIN, GPX_END, trackPoint } from "../exports/Entries.js"
import type { StoredFix } from "../fixes/Fix.js"

/** The fixes as one track, in their order. */
export const write = (fixes: ReadonlyArray<StoredFix>): string => GPX_BEGIN + fixes.map(trackPoint).join("") + GPX_END
