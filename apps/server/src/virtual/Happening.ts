/** One thing that happened in a test world, as a caller of `/dev/clock` reads it. */
export interface Happening {
  /** What the world's clock showed, in milliseconds. */
  readonly at: number
  readonly what: "event" | "mail" | "webhook"
  readonly details: Readonly<Record<string, string | number>>
}

/** A text that is equal for two happenings that were read from the same row. */
export const key = ({ at, details, what }: Happening): string => `${at} ${what} ${JSON.stringify(details)}`
