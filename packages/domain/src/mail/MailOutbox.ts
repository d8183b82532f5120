import { Context, type Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Kept, MailMessage } from "./Mail.js"
import type { Finish } from "./MailSending.js"

/** A message to send, with the number of this attempt, from 1. */
export interface Claimed {
  readonly message: MailMessage
  readonly createdAt: Timestamp
  readonly attempt: number
}

/**
 * Messages are put in by the stores whose changes they report, in the same transaction. Only what is reported of an app's rows
 * is put in by itself: those rows and a person's are never written together.
 */
export class MailOutbox extends Context.Tag("@place-access/domain/mail/MailOutbox")<
  MailOutbox,
  {
    /**
     * Once for each reader and key: repeating it changes nothing. A message that names an app is written as `NamedMail.decide` says,
     * which counts it in the same transaction; a change that reports itself by mail does so, too.
     */
    readonly put: (message: MailMessage, now: Timestamp) => Effect.Effect<void, StoreError>
    /**
     * Up to `limit` messages that are due, the oldest due first, held until `leaseUntil`: no other worker gets them before. Each
     * claim is an attempt, so that one whose worker dies of it is given up in the end.
     */
    readonly claim: (
      limit: number,
      now: Timestamp,
      leaseUntil: Timestamp
    ) => Effect.Effect<ReadonlyArray<Claimed>, StoreError>
    /** False, and nothing written, when a later attempt was begun meanwhile or the message was finished. */
    readonly finish: (
      claimed: Pick<Claimed, "attempt"> & { readonly message: Pick<MailMessage, "to" | "dedupeKey"> },
      how: Finish
    ) => Effect.Effect<boolean, StoreError>
    /** The newest first, whoever they are for: for a developer's own machine. */
    readonly recent: (limit: number) => Effect.Effect<ReadonlyArray<Kept>, StoreError>
  }
>() {}
