import type { Language, TimeZone, Timestamp } from "@place-access/domain/shared"

/** For whom a page is written: texts are in the reader's language, times in their zone. */
export interface Locale {
  readonly language: Language.Language
  /** Null: not known. Times stay in UTC, with the full date, because "today" could be wrong. */
  readonly zone: TimeZone.TimeZone | null
  /** The present, with which times are compared. */
  readonly now: Timestamp.Timestamp
}
