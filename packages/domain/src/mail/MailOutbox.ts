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
 * The outbox of messages to send (decision mail-1). A store that changes data also writes the message about the change,
 * in the same transaction. `put` is for messages that report no change: a sign-in in a new browser, an endpoint that
 * fails, and owner notices.
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
     * At most `limit` due messages to readers in these buckets (`PeopleLeases.buckets`): ordered by due time, then by
     * `dedupeKey`, then by reader. Keys and readers are compared by code points.
     */
    readonly due: (buckets: ReadonlyArray<number>, limit: number, now: Timestamp) => StoreEffect<ReadonlyArray<DueMail>>
    /**
     * Stores that an attempt begins, before the worker makes it. So attempts are counted even when the message crashes
     * every process that sends it, and the message is given up in the end. If no result follows, the message is due
     * again at `dueAt`. Returns false, and writes nothing, when this attempt or a later one has begun, or the message
     * was finished.
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
