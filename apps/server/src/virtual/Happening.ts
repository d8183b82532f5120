/** An event, mail or webhook of a test world, as a caller of `/dev/clock` reads it. */
export interface Happening {
  /** The time that the world's clock showed, in milliseconds since 1970. */
  readonly at: number
  readonly what: "event" | "mail" | "webhook"
  /** The key of the row of the event or mail; "" for a webhook. The answers of `/dev/clock` leave this field out. */
  readonly row: string
  readonly details: Readonly<Record<string, string | number>>
}

/**
 * A text by which two happenings are compared: the texts are equal if both happenings were read from the same unchanged
 * row. The text contains the row's key, because two people may get mails with the same subject at the same instant. The
 * text contains the details, because a later mail can replace an earlier mail in the same row.
 */
export const key = ({ at, details, row, what }: Happening): string => `${at} ${what} ${row} ${JSON.stringify(details)}`
