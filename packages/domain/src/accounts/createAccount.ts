import * as History from "../retention-choice/History.js"
import { Entropy, Forbidden, program, Timestamp, UserId } from "../shared/index.js"
import { choosePassword } from "./choosePassword.js"
import { type Account, type DisplayName, type Email, nameFrom, type Password, Role } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

export interface NewAccount {
  readonly email: Email
  readonly password: Password
  /** Left out: the part of the e-mail before the @. */
  readonly displayName?: DisplayName | undefined
  /** How long history is kept. Left out: forever. */
  readonly keep?: History.Keep | undefined
}

/**
 * Makes any account for the operator: no default password exists (decision A4). `Conflict`: e-mail taken. `Invalid`: a
 * password that attackers try first.
 */
export const createAccount = program(
  "createAccount",
  function* (input: NewAccount & { readonly roles: ReadonlyArray<Role> }) {
    const accounts = yield* AccountStore
    const { email } = input
    const displayName = input.displayName ?? nameFrom(email)
    const passwordHash = yield* choosePassword(input.password, { email, displayName })
    const account: Account = {
      id: UserId.make(yield* Entropy.id("usr")),
      email,
      displayName,
      roles: Role.literals.filter((role) => input.roles.includes(role)),
      createdAt: yield* Timestamp.now
    }
    yield* accounts.create(account, passwordHash, input.keep === undefined ? History.DEFAULT : input.keep)
    return account
  }
)

/**
 * Creates a plain user's account for a person who signs up (decision A1). It opens no session. `Forbidden` while
 * sign-up is closed (`SIGN_UP`, decisions §10), `Conflict` when the e-mail has an account already.
 */
export const signUp = program("signUp", function* (input: NewAccount, policy: "open" | "closed") {
  // Checked before the password is hashed, so that a closed service does no work for strangers.
  if (policy === "closed") return yield* new Forbidden({ reason: "sign-up is closed" })
  return yield* createAccount({ ...input, roles: [] })
})
