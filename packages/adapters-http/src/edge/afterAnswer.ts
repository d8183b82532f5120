import { Effect } from "effect"

/**
 * Goes on without waiting for the mail. If the answer waited, its time would show whether an account has the address.
 */
export const afterAnswer = <A, E, R>(failure: string, mailing: Effect.Effect<A, E, R>) =>
  mailing.pipe(
    Effect.catchAllCause((cause) => Effect.logError(failure, cause)),
    Effect.forkDaemon,
    Effect.asVoid
  )
