import type { HttpServerRequest } from "@effect/platform"
import * as Accounts from "@place-access/domain/accounts"
import { type Account, type AccountStore, requireFreshSession } from "@place-access/domain/accounts"
import type { StoreError, Vault } from "@place-access/domain/shared"
import { Effect } from "effect"
import type { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import * as Credentials from "./Credentials.js"

/**
 * A check for handlers of dangerous operations (decision accounts-17): fails with 403 `confirmation_required` unless
 * the session of this request was opened or confirmed in the last 15 minutes. The endpoint declares
 * `Errors.ConfirmationRequired`. A page uses `Visitor.fresh` instead, which leads the person to the confirmation page.
 */
export const requireFreshSignIn: Effect.Effect<
  void,
  typeof Errors.ConfirmationRequired.Type | typeof Errors.NotSignedIn.Type | StoreError,
  HttpServerRequest.HttpServerRequest | HttpOptions | AccountStore | Vault.Vault
> = Effect.gen(function* () {
  yield* requireFreshSession(yield* Credentials.presentSession).pipe(
    Effect.catchTag("ConfirmationRequired", () => Effect.fail(Errors.confirmationRequired))
  )
})

/** Whether the session of this request was opened or confirmed in the last 15 minutes (decision accounts-17). */
export const isFreshSignIn = Effect.flatMap(Credentials.presentSession, Accounts.isFreshSession)

/**
 * A check for handlers that ask for the password themselves. Fails when the account has a second factor and the session
 * was neither opened nor confirmed in the last 15 minutes: for such an account, the password alone is not proof enough.
 */
export const requireFreshWithFactor = (account: Account.Account) =>
  Effect.gen(function* () {
    yield* Accounts.requireFreshWithFactor(account, yield* Credentials.presentSession).pipe(
      Effect.catchTag("ConfirmationRequired", () => Effect.fail(Errors.confirmationRequired))
    )
  })
