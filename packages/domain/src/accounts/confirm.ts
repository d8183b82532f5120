// A new proof of identity within a session. Decisions accounts-17 and accounts-18.
import { Option, Schema } from "effect"
import { Entropy, program, Timestamp, Vault } from "../shared/index.js"
import type { Account } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import * as Session from "./Session.js"

/**
 * The person has not proved who they are in the last 15 minutes, or the session is over. Wire: 403
 * `confirmation_required`.
 */
export class ConfirmationRequired extends Schema.TaggedError<ConfirmationRequired>()("ConfirmationRequired", {}) {
  override get message(): string {
    return "The person must prove once more who they are"
  }
}

/**
 * Whether the session of this cookie was opened or confirmed in the last 15 minutes. False when the session is over.
 */
export const isFreshSession = program("isFreshSession", function* (cookie: string) {
  if (!Entropy.isSecret(cookie)) return false
  const now = yield* Timestamp.now
  const found = yield* (yield* AccountStore).findSession((yield* Vault.Vault).sha256(cookie), now)
  return Option.exists(found, ({ session }) => Session.isFresh(session, now))
})

/**
 * Fails with `ConfirmationRequired` unless the session of this cookie was opened or confirmed in the last 15 minutes.
 */
export const requireFreshSession = program("requireFreshSession", function* (cookie: string) {
  if (!(yield* isFreshSession(cookie))) return yield* new ConfirmationRequired()
})

/** Whether a sign-in with the account's password needs a second factor. */
export const hasFactor = program("hasFactor", function* ({ id }: Account) {
  return yield* (yield* AccountStore).hasFactor(id)
})

/**
 * Fails with `ConfirmationRequired` when the account has a second factor and the session of this cookie was neither
 * opened nor confirmed in the last 15 minutes. For actions that also ask for the password: without a second factor, the
 * password is proof enough.
 */
export const requireFreshWithFactor = program("requireFreshWithFactor", function* (account: Account, cookie: string) {
  if (yield* hasFactor(account)) yield* requireFreshSession(cookie)
})
