import type { Language, TimeZone, Timestamp } from "@place-access/domain/shared"

/** The reader for whom a page is written: texts are in the reader's language, times in the reader's zone. */
export interface Locale {
  readonly language: Language.Language
  /**
   * The reader's time zone; null when it is not known. Times are then in UTC, with the full date, because "today" could
   * be wrong.
   */
  readonly zone: TimeZone.TimeZone | null
  /** The present time, with which a page compares other times. */
  readonly now: Timestamp.Timestamp
}
