import type { Timestamp } from "../shared/Timestamp.js"

/**
 * A message that the service wrote to a person, without its links: somebody who has a link of the message may be able
 * to act for the person.
 */
export interface WrittenMail {
  /** The kind of message, such as `consent_receipt`. */
  readonly kind: string
  readonly subject: string
  readonly body: string
  /** The path of the page that the message is about, without a secret; null when the message has no link. */
  readonly path: string | null
  readonly writtenAt: Timestamp
  readonly sentAt: Timestamp | null
}

/** The kind of a message: the first word of its deduplication key. */
export const kindOf = (dedupeKey: string): string => dedupeKey.split(" ", 1)[0] ?? ""
