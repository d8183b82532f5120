/** One thing that happened in a test world, as a caller of `/dev/clock` reads it. */
export interface Happening {
  /** What the world's clock showed, in milliseconds. */
  readonly at: number
  readonly what: "event" | "mail" | "webhook"
  /** The key of the row that it was read from; "" for a webhook. Callers do not get it. */
  readonly row: string
  readonly details: Readonly<Record<string, string | number>>
}

/**
 * A text that is equal for two happenings that were read from the same unchanged row. It contains the row's key,
 * because two people may get mails with the same subject at the same instant. It contains the details, because a later
 * mail can replace an earlier mail in the same row.
 */
export const key = ({ at, details, row, what }: Happening): string => `${at} ${what} ${row} ${JSON.stringify(details)}`
