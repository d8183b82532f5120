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

/** One attempt at a message. */
export interface MailAttempt extends Pick<DueMail, "attempt"> {
  readonly message: Pick<MailMessage, "to" | "dedupeKey">
}

/**
 * Messages to send. The stores of a person's rows write a message in the transaction of the change that it reports.
 * `put` is for changes of an app's rows, which are never in one transaction with a person's rows. Decision mail-1.
 */
export class MailOutbox extends Context.Tag("@place-access/domain/mail/MailOutbox")<
  MailOutbox,
  {
    /** Stores a message, unless its reader has one with this key. `NamedMail.decide` may replace it or drop it. */
    readonly put: (message: MailMessage, now: Timestamp) => StoreEffect<void>
    /**
     * At most `limit` due messages to readers of these buckets: the longest due first, then by key, then by reader.
     * Keys and readers are compared by code points.
     */
    readonly due: (buckets: ReadonlyArray<number>, limit: number, now: Timestamp) => StoreEffect<ReadonlyArray<DueMail>>
    /**
     * Counts the attempt before it is made, so that a message that crashes every process is given up. Without a result
     * the message is due again at `dueAt`. False, and nothing is written, when this attempt or a later one has begun,
     * or the message was finished.
     */
    readonly begin: (attempt: MailAttempt, dueAt: Timestamp) => StoreEffect<boolean>
    /** Stores a result. False, and nothing is written, when a later attempt has begun or the message was finished. */
    readonly finish: (attempt: MailAttempt, how: MailFinish) => StoreEffect<boolean>
    /** The newest messages, newest first, for a developer who runs the service on their own machine. */
    readonly recent: (limit: number) => StoreEffect<ReadonlyArray<KeptMail>>
  }
>() {}
