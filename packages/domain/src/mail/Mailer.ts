import { Context, type Effect } from "effect"
import type { Outcome } from "./MailSending.js"

export interface Outgoing {
  /** The same at every attempt, letters and digits: what the Message-ID is made of, so that readers' programs drop repeats. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Hands a message to whoever carries e-mail. */
export class Mailer extends Context.Tag("@place-access/domain/mail/Mailer")<
  Mailer,
  {
    /** Hands one message over. Answers within `MailSending.DEADLINE`. */
    readonly send: (mail: Outgoing) => Effect.Effect<Outcome>
  }
>() {}
