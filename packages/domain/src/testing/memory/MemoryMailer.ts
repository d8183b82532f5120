import { Context, Effect, Layer } from "effect"
import { Mailer, type Outgoing } from "../../mail/Mailer.js"
import type { Outcome } from "../../mail/MailSending.js"
import * as Timestamp from "../../shared/Timestamp.js"

/** A message as the mail server got it. */
export interface Letter extends Outgoing {
  readonly at: Timestamp.Timestamp
}

/** What becomes of a message. */
export type Behaviour = (mail: Outgoing) => Effect.Effect<Outcome>

export const takes: Behaviour = () => Effect.succeed({ _tag: "Sent" })
export const refuses: Behaviour = () => Effect.succeed({ _tag: "Refused", reason: "no such mailbox" })
export const isAway: Behaviour = () => Effect.succeed({ _tag: "NotSent", reason: "nobody answers" })

/** The mail server of a test. */
export class Post extends Context.Tag("@place-access/domain/testing/Post")<
  Post,
  {
    /** From now on it does this; at first it takes everything. */
    readonly script: (behaviour: Behaviour) => Effect.Effect<void>
    /** Everything that was ever handed to it, refused or not, oldest first. */
    readonly letters: Effect.Effect<ReadonlyArray<Letter>>
  }
>() {}

export const layer: Layer.Layer<Mailer | Post> = Layer.effectContext(
  Effect.sync(() => {
    const letters: Array<Letter> = []
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
