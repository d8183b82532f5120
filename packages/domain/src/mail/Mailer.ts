import { Context, type Effect } from "effect"
import type { MailOutcome } from "./MailSending.js"

export interface OutgoingMail {
  /**
   * Identifies the message in its Message-ID: letters and digits, the same at every attempt. So a mail program can
   * recognise a message that arrives twice.
   */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Hands messages to an e-mail service. */
export class Mailer extends Context.Tag("@place-access/domain/mail/Mailer")<
  Mailer,
  {
    /**
     * Sends a message and returns within `MailSending.DEADLINE`. At most `MailSending.AT_ONCE` calls run at the same
     * time.
     */
    readonly send: (mail: OutgoingMail) => Effect.Effect<MailOutcome>
  }
>() {}
