import type { Timestamp } from "../shared/Timestamp.js"
import * as Fix from "./Fix.js"

/** A fix, and its distance in time from the moment that was asked about. */
export interface Nearest {
  readonly fix: Fix.StoredFix
  readonly awayMs: number
}

/**
 * The fix nearest to `at`, at most `toleranceMs` away; undefined when no fix is so near. When two fixes have the same
 * distance, the earlier fix counts (decision L9); when two fixes have the same time, the first by `Fix.newestFirst`.
 */
export const of = (at: Timestamp, fixes: ReadonlyArray<Fix.StoredFix>, toleranceMs: number): Nearest | undefined => {
  let nearest: Nearest | undefined
  for (const fix of fixes) {
    const awayMs = Math.abs(fix.capturedAt - at)
    if (awayMs <= toleranceMs && (nearest === undefined || isBefore({ fix, awayMs }, nearest)))
      nearest = { fix, awayMs }
  }
  return nearest
}

const isBefore = (a: Nearest, b: Nearest): boolean =>
  (a.awayMs - b.awayMs || a.fix.capturedAt - b.fix.capturedAt || Fix.newestFirst(a.fix, b.fix)) < 0

/** The distance in time of the fix, in whole seconds, rounded down. */
export const deltaSeconds = ({ awayMs }: Nearest): number => Math.floor(awayMs / 1_000)
