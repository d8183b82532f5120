import { Effect, Option } from "effect"
import type { Account } from "../accounts/Account.js"
import { checkPassword } from "../accounts/checkPassword.js"
import { NotFound } from "../shared/Invalid.js"
import * as AccountDeletion from "./AccountDeletion.js"
import { AccountDeletionStore } from "./AccountDeletionStore.js"

export interface Confirmation {
  /** Once more, although there is a session: a browser that was left open must not be enough. */
  readonly password: string
  /** Where the request came from. */
  readonly address: string
}

/**
 * Ends the account at once and for good; what is left of it is removed by the workers (`removeDeleted`). `WrongCredentials` and
 * `TooManyAttempts` as at sign-in, whose count it shares; `Conflict` for the last admin; `NotFound` when it went meanwhile.
 */
export const deleteAccount = Effect.fn("deleteAccount")(function* (account: Account, confirmation: Confirmation) {
  const { id } = yield* checkPassword({ ...confirmation, email: account.email })
  // The address may have become somebody else's between the session's check and this one.
  const begun =
    id === account.id ? yield* (yield* AccountDeletionStore).begin(id, AccountDeletion.decide) : Option.none()
  yield* yield* Effect.mapError(begun, () => new NotFound({ what: "account" }))
})

/** What deleting the account would meet: apps that go with it, and whether it may. */
export const describeDeletion = Effect.fn("describeDeletion")(function* (account: Account) {
  const state = yield* (yield* AccountDeletionStore).describe(account.id)
  return yield* Effect.mapError(state, () => new NotFound({ what: "account" }))
})
