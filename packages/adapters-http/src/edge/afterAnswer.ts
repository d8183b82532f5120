import { CredentialStore } from "@place-access/domain/credentials"
import type { StoreEffect } from "@place-access/domain/shared"
import { type Context, Effect, Schedule } from "effect"

/**
 * Sends mail in the background. If the answer waited for the mail, the delay would show whether an account has this
 * e-mail address. `failure`: the line in the log when the mail cannot be sent.
 *
 * The caller has got its answer, so nobody would ask again after a transient error of the store. Therefore the step
 * that stores the link and the mail is repeated. The steps before it are not repeated, because they count the link
 * against limits, and a second count could refuse the mail.
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
 * Repeats a step after 1, 2, 4, 8 and 16 s. These 31 s are longer than a transaction may run. So a lock of another
 * transaction, for which the step waits, is released before the last attempt.
 */
const patiently = <A>(step: StoreEffect<A>): StoreEffect<A> =>
  Effect.retry(step, { while: ({ transient }) => transient, schedule: Schedule.exponential("1 second"), times: 5 })
