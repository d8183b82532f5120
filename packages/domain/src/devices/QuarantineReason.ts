import { Schema } from "effect"

/**
 * Why a reading or a visit report is quarantined: it is stored or only counted, and not evaluated (decision L3). A
 * later upload may accept a reading with the reason `future` (`FutureReading`).
 */
export const QuarantineReason = Schema.Literal(
  /** the time or the position could not be read */
  "unreadable",
  "out_of_range",
  "null_island",
  "future",
  "too_old",
  /** a visit without any time, or one that ends before it begins */
  "no_stay",
  /**
   * older than the history that the user keeps, or in a stretch of history that the user deleted: counted and not
   * stored
   */
  "not_kept"
)
export type QuarantineReason = typeof QuarantineReason.Type
