// Fixes as a GPX 1.1 file, as in an archive: maps read it, and our own import.
import { GPX_BEGIN, GPX_END, trackPoint } from "../exports/Entries.js"
import type { StoredFix } from "../fixes/Fix.js"

/** The fixes as one track, in their order. */
export const write = (fixes: ReadonlyArray<StoredFix>): string => GPX_BEGIN + fixes.map(trackPoint).join("") + GPX_END
