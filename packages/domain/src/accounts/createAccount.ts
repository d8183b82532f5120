import { announceAudit, AuditEvent } from "../audit/index.js"
import * as History from "../retention-choice/History.js"
import { Entropy, Forbidden, program, Timestamp, UserId } from "../shared/index.js"
import { choosePassword } from "./choosePassword.js"
import { type Account, type DisplayName, type Email, nameFrom, type Password, Role } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

export interface NewAccount {
  readonly email: Email
  readonly password: Password
  /** When left out, the name is the part of the e-mail before the @. */
  readonly displayName?: DisplayName | undefined
  /** How many days history is kept. Null or left out: without a limit. */
  readonly keep?: History.Keep | undefined
}

interface OpenedAccount extends NewAccount {
  readonly roles: ReadonlyArray<Role>
  readonly isConfirmed: boolean
}

const openAccount = program("openAccount", function* (request: OpenedAccount, actor: AuditEvent.AuditActor) {
  const { isConfirmed, keep, roles, ...input } = request
  const accounts = yield* AccountStore
  const { email } = input
  const displayName = input.displayName ?? nameFrom(email)
  const passwordHash = yield* choosePassword(input.password, { email, displayName })
  const id = UserId.make(yield* Entropy.id("usr"))
  const createdAt = yield* Timestamp.now
  const account: Account = {
    id,
    email,
    displayName,
    roles: Role.literals.filter((role) => roles.includes(role)),
    createdAt,
    suspendedAt: null,
    confirmedAt: isConfirmed ? createdAt : null,
    timeZone: null,
    language: null,
    browserLanguage: null,
    testOf: null
  }
  const event: AuditEvent.AuditEvent = {
    at: createdAt,
    userId: id,
    actor,
    detail: { kind: "account_made", roles: account.roles }
  }
  yield* accounts.create(account, passwordHash, keep === undefined ? History.DEFAULT : keep, event)
  yield* announceAudit(event)
  return account
})

/**
 * Creates an account with any roles, for a command of the operator. The operator makes the first admin with this
 * command, because the service comes with no account and no default password (decision A4). The address counts as
 * confirmed, because the operator vouches for it. Fails with `Conflict` when another account has the e-mail address,
 * and with `Invalid` for a password that attackers try first.
 */
export const createAccount = program(
  "createAccount",
  function* (input: NewAccount & { readonly roles: ReadonlyArray<Role> }) {
    return yield* openAccount({ ...input, isConfirmed: true }, AuditEvent.OPERATOR)
  }
)

/**
 * Creates an account without roles immediately, in a service where every address counts as confirmed (`AddressRule`).
 * Other services call `requestSignUp` instead (decision A1). Opens no session. Fails with:
 * - `Forbidden` while sign-up is closed (setting `SIGN_UP`, decisions §10)
 * - `Conflict` when an account has the e-mail address already
 * - `Invalid` for a password that attackers try first
 */
export const signUp = program("signUp", function* (input: NewAccount, policy: "open" | "closed") {
  // The policy is checked before the password is hashed, so that a closed service does no work for strangers.
  if (policy === "closed") return yield* new Forbidden({ reason: "sign-up is closed" })
  return yield* openAccount({ ...input, roles: [], isConfirmed: false }, AuditEvent.OWNER)
})
