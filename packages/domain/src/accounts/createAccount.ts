import { Effect } from "effect"
import * as History from "../history/History.js"
import * as Entropy from "../shared/Entropy.js"
import { UserId } from "../shared/Ids.js"
import type { Conflict } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { type Account, type DisplayName, type Email, nameFrom, type Password, Role } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import { PasswordHasher } from "./PasswordHasher.js"

export interface NewAccount {
  readonly email: Email
  readonly password: Password
  /** Left out: the part of the e-mail before the @. */
  readonly displayName?: DisplayName | undefined
  /** How long history is kept. Left out: for ever. */
  readonly keep?: History.Keep | undefined
}

/**
 * The operator's way to an account, with roles from the start: the first admin is made like this and never with a
 * default password (decision A4). `Conflict` when the e-mail is taken.
 */
export const createAccount = Effect.fn("createAccount")(function* (
  input: NewAccount & { readonly roles: ReadonlyArray<Role> }
): Effect.fn.Return<Account, Conflict | StoreError, AccountStore | PasswordHasher | Entropy.Entropy> {
  const accounts = yield* AccountStore
  const passwordHash = yield* (yield* PasswordHasher).hash(input.password)
  const account: Account = {
    id: UserId.make(yield* Entropy.id("usr")),
    email: input.email,
    displayName: input.displayName ?? nameFrom(input.email),
    roles: Role.literals.filter((role) => input.roles.includes(role)),
    createdAt: yield* Timestamp.now
  }
  yield* accounts.create(account, passwordHash, input.keep === undefined ? History.DEFAULT : input.keep)
  return account
})
