import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"

const at = (text: string) => Timestamp.parseIso(text) ?? Check.fail(text)

/**
 * Pairs of instants at which a store that keeps local times goes wrong. Run the suites with the variable TZ set to the
 * zone: with TZ=UTC such a store passes.
 */
export const CLOCK_CHANGES = [
  // In Europe/Berlin the clock goes back, and shows 02:30 at both instants.
  [at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")],
  // In America/New_York the clock goes back, and shows 01:30 at both instants.
  [at("2026-11-01T05:30:00Z"), at("2026-11-01T06:30:00Z")],
  // The clock goes forward. The hour after 02:00 is skipped: first in America/New_York, then in Europe/Berlin.
  [at("2026-03-08T02:30:00Z"), at("2026-03-29T02:30:00Z")]
] as const
