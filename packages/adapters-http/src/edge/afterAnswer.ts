import { CredentialStore } from "@place-access/domain/credentials"
import type { StoreEffect } from "@place-access/domain/shared"
import { type Context, Effect, Schedule } from "effect"

/**
 * Sends mail in the background. If the answer waited for the mail, the delay would show whether an account has this
 * e-mail address. `failure`: the line in the log when the mail cannot be sent.
 *
 * The caller already has its answer, so it would not repeat the request after a transient error of the store. Therefore
 * this function itself repeats the step that stores the link and the mail. It does not repeat the earlier steps: they
 * count the link against limits, and a second count could refuse the mail.
 */
export const afterAnswer = <A, E, R>(failure: string, mailing: Effect.Effect<A, E, R>) =>
  mailing.pipe(
    Effect.updateService(CredentialStore, patient),
    Effect.catchAllCause((cause) => Effect.logError(failure, cause)),
    Effect.forkDaemon,
    Effect.asVoid
  )

const patient = (store: Context.Tag.Service<CredentialStore>): Context.Tag.Service<CredentialStore> => ({
  ...store,
  offerLink: (...link) => patiently(store.offerLink(...link)),
  requestSignUp: (...request) => patiently(store.requestSignUp(...request))
})

/**
 * Repeats a step after 1, 2, 4, 8 and 16 s. These 31 s are longer than any transaction may run for whose locks the step
 * may wait. So such a lock is released before the last attempt.
 */
const patiently = <A>(step: StoreEffect<A>): StoreEffect<A> =>
  Effect.retry(step, { while: ({ transient }) => transient, schedule: Schedule.exponential("1 second"), times: 5 })
