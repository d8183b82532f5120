import { Context } from "effect"
import type { StoreEffect } from "../shared/Errors.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { KeptMail, MailMessage } from "./Mail.js"
import type { MailFinish } from "./MailSending.js"

/** A leased message, with the number of this attempt, counted from 1. */
export interface ClaimedMail {
  readonly message: MailMessage
  readonly createdAt: Timestamp
  readonly attempt: number
}

/**
 * Messages to send. The stores of a person's rows write a message in the transaction of the change that it reports.
 * `put` is for changes of an app's rows, which are never in one transaction with a person's rows. Decision mail-1.
 */
export class MailOutbox extends Context.Tag("@place-access/domain/mail/MailOutbox")<
  MailOutbox,
  {
    /** Stores a message, unless its reader has one with this key; if it names an app, as `NamedMail.decide` says. */
    readonly put: (message: MailMessage, now: Timestamp) => StoreEffect<void>
    /**
     * Leases `limit` due messages: oldest first, then by key, then by reader, each by the codes of its characters. Each
     * claim is an attempt, so a crashing message is given up.
     */
    readonly claim: (limit: number, now: Timestamp, leaseUntil: Timestamp) => StoreEffect<ReadonlyArray<ClaimedMail>>
    /** Stores a result. False, and nothing is written, when a later attempt has begun or the message was finished. */
    readonly finish: (
      claimed: Pick<ClaimedMail, "attempt"> & { readonly message: Pick<MailMessage, "to" | "dedupeKey"> },
      how: MailFinish
    ) => StoreEffect<boolean>
    /** All messages, newest first. A developer reads them on their own machine. */
    readonly recent: (limit: number) => StoreEffect<ReadonlyArray<KeptMail>>
  }
>() {}
