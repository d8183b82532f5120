import { Context } from "effect"
import type { StoreEffect } from "../shared/Errors.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { KeptMail, MailMessage } from "./Mail.js"
import type { MailFinish } from "./MailSending.js"

/** A message to send, with the number of its next attempt, counted from 1. */
export interface DueMail {
  readonly message: MailMessage
  readonly createdAt: Timestamp
  readonly attempt: number
}

/** Identifies one attempt to send a message. */
export interface MailAttempt extends Pick<DueMail, "attempt"> {
  readonly message: Pick<MailMessage, "to" | "dedupeKey">
}

/**
 * The outbox of messages to send (decision mail-1). The store of a person's rows writes a message in the same
 * transaction as the change that it reports. `put` is for changes of an app's rows, because a transaction never has
 * rows of an app and rows of a person.
 */
export class MailOutbox extends Context.Tag("@place-access/domain/mail/MailOutbox")<
  MailOutbox,
  {
    /**
     * Stores a message, unless its reader already has a message with the same `dedupeKey`. If the message has an app's
     * name, `NamedMail.decide` may replace or drop it.
     */
    readonly put: (message: MailMessage, now: Timestamp) => StoreEffect<void>
    /**
     * At most `limit` due messages to readers in these buckets: ordered by due time, then by `dedupeKey`, then by
     * reader. Keys and readers are compared by code points.
     */
    readonly due: (buckets: ReadonlyArray<number>, limit: number, now: Timestamp) => StoreEffect<ReadonlyArray<DueMail>>
    /**
     * Stores that an attempt begins, before the worker makes it. So a message that crashes every process is counted
     * too, and given up in the end. If no result follows, the message is due again at `dueAt`. Returns false, and
     * writes nothing, when this attempt or a later one has begun, or the message was finished.
     */
    readonly begin: (attempt: MailAttempt, dueAt: Timestamp) => StoreEffect<boolean>
    /**
     * Stores the result of an attempt. Returns false, and writes nothing, when a later attempt has begun or the message
     * was finished.
     */
    readonly finish: (attempt: MailAttempt, how: MailFinish) => StoreEffect<boolean>
    /** The newest messages, newest first. Only for a developer who runs the service on their own machine. */
    readonly recent: (limit: number) => StoreEffect<ReadonlyArray<KeptMail>>
  }
>() {}
