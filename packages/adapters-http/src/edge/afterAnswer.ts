import { Effect } from "effect"

/**
 * Sends mail in the background. If the answer waited for the mail, the delay would show whether an account has this
 * e-mail address. `failure`: the line in the log when the mail cannot be sent.
 */
export const afterAnswer = <A, E, R>(failure: string, mailing: Effect.Effect<A, E, R>) =>
  mailing.pipe(
    Effect.catchAllCause((cause) => Effect.logError(failure, cause)),
    Effect.forkDaemon,
    Effect.asVoid
  )
