import { Context, Effect, Layer } from "effect"
import { Mailer, type OutgoingMail } from "../../src/mail/Mailer.js"
import type { MailOutcome } from "../../src/mail/MailSending.js"
import * as Timestamp from "../../src/shared/Timestamp.js"

/** A message that the service tried to send, and the time of the attempt. */
export interface ReceivedMail extends OutgoingMail {
  readonly at: Timestamp.Timestamp
}

/** What the mail server does with a message. The result says how the attempt to send the message ended. */
export type Behaviour = (mail: OutgoingMail) => Effect.Effect<MailOutcome>

export const takes: Behaviour = () => Effect.succeed({ _tag: "Sent" })
export const refuses: Behaviour = () => Effect.succeed({ _tag: "Refused", reason: "no such mailbox" })
export const isAway: Behaviour = () => Effect.succeed({ _tag: "NotSent", reason: "nobody answers" })

/**
 * The simulated mail server. A test sets what the server does, and reads the messages that the service tried to send.
 */
export class Post extends Context.Tag("@place-access/domain/testing/Post")<
  Post,
  {
    /** Sets what the mail server does from now on. Before the first call of `script`, it accepts every message. */
    readonly script: (behaviour: Behaviour) => Effect.Effect<void>
    /**
     * Every message that the service tried to send, oldest first. The list includes messages that the mail server
     * refused, and messages for which the mail server gave no answer.
     */
    readonly letters: Effect.Effect<ReadonlyArray<ReceivedMail>>
  }
>() {}

export const layer: Layer.Layer<Mailer | Post> = Layer.effectContext(
  Effect.sync(() => {
    const letters: Array<ReceivedMail> = []
    let behaviour = takes
    return Context.empty().pipe(
      Context.add(Mailer, {
        send: (mail) =>
          Effect.flatMap(Timestamp.now, (at) => {
            letters.push({ ...mail, at })
            return behaviour(mail)
          })
      }),
      Context.add(Post, {
        script: (next) =>
          Effect.sync(() => {
            behaviour = next
          }),
        letters: Effect.sync(() => [...letters])
      })
    )
  })
)
