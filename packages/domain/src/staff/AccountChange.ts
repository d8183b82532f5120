// The changes that staff and operators make to an account. Decisions staff-1, staff-2, staff-3 and staff-5.
import { Either } from "effect"
import { type Account, type Email, hasRole, Role, type Suspension } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import { Conflict } from "../shared/Errors.js"
import { Words } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** The facts that decide about a change, read under the locks of the account and of all admins. */
export interface AccountState {
  readonly account: Account
  /**
   * Whether another account is an admin and not suspended. When this account is no admin, the store sets true without a
   * query, because no decision reads the field then.
   */
  readonly hasOtherAdmin: boolean
}

/**
 * A change, which the store commits in one transaction. The store also copies the account's suspension to the account's
 * apps. It adds `ended`, the suspension that the change ends, to the past suspensions of the account and of its apps.
 */
export interface AccountChange {
  readonly account: Account
  readonly ended?: Suspension
  readonly notice: MailMessage
  readonly audit: AuditEvent.AuditEvent
}

/** Decides a change of an account. Null: the account already has the requested state, and nothing is written. */
export type AccountStep = (state: AccountState, now: Timestamp) => Either.Either<AccountChange | null, Conflict>

export const LAST_ADMIN = "this is the only admin: the service needs another one first"

/**
 * Whether the service would be left without an admin if this account stopped being an admin. A suspended admin does not
 * count.
 */
const wouldLeaveNone = ({ account, hasOtherAdmin }: AccountState): boolean =>
  hasRole(account, "admin") && account.suspendedAt === null && !hasOtherAdmin

/** Gives a role. `by` is the member of staff or the operator who gives it. */
export const giveRole =
  (role: Role, by: AuditEvent.AuditActor): AccountStep =>
  ({ account }, now) =>
    Either.right(
      hasRole(account, role)
        ? null
        : changed(withRoles(account, [...account.roles, role]), by, now, { kind: "role_given", role })
    )

/** Takes a role away. Fails with `Conflict` for the role `admin` of the last admin. */
export const takeRole =
  (role: Role, by: AuditEvent.AuditActor): AccountStep =>
  (state, now) => {
    const { account } = state
    if (!hasRole(account, role)) return Either.right(null)
    if (role === "admin" && wouldLeaveNone(state)) return Either.left(new Conflict({ reason: LAST_ADMIN }))
    const roles = account.roles.filter((one) => one !== role)
    return Either.right(changed(withRoles(account, roles), by, now, { kind: "role_taken", role }))
  }

/**
 * Suspends the account. Fails with `Conflict` for the last admin. While the account is suspended, the service refuses
 * its sessions but keeps them, so that they work again afterwards.
 */
export const suspend =
  (by: AuditEvent.AuditActor): AccountStep =>
  (state, now) => {
    const { account } = state
    if (account.suspendedAt !== null) return Either.right(null)
    return wouldLeaveNone(state)
      ? Either.left(new Conflict({ reason: LAST_ADMIN }))
      : Either.right(changed({ ...account, suspendedAt: now }, by, now, { kind: "account_suspended" }))
  }

/**
 * Ends the suspension. The period of the suspension is stored, because events of this period must not be sent later.
 */
export const resume =
  (by: AuditEvent.AuditActor): AccountStep =>
  ({ account }, now) => {
    const { suspendedAt: from } = account
    if (from === null) return Either.right(null)
    const change = changed({ ...account, suspendedAt: null }, by, now, { kind: "account_resumed" })
    // The clock may have been set back since the suspension began. The end must not be before the beginning.
    return Either.right({ ...change, ended: { from, until: now < from ? from : now } })
  }

/**
 * Confirms the account's e-mail address. The operator vouches that the address is the owner's (decision staff-5). With
 * `email`, this address first replaces the account's unconfirmed address (decision staff-9).
 */
export const confirm =
  (by: AuditEvent.AuditActor, email?: Email): AccountStep =>
  ({ account: before }, now) => {
    const account = { ...before, email: email ?? before.email, confirmedAt: now }
    return Either.right(before.confirmedAt === null ? changed(account, by, now, { kind: "address_confirmed" }) : null)
  }

const withRoles = (account: Account, roles: ReadonlyArray<Role>): Account => ({
  ...account,
  roles: Role.literals.filter((role) => roles.includes(role))
})

type Detail =
  | Extract<
      AuditEvent.AuditDetail,
      { readonly kind: "role_given" | "role_taken" | "account_suspended" | "account_resumed" }
    >
  | { readonly kind: "address_confirmed" }

const changed = (account: Account, by: AuditEvent.AuditActor, at: Timestamp, detail: Detail): AccountChange => {
  const actor = by._tag === "Staff" ? AuditEvent.actorOf(by.id, account.id) : by
  return {
    account,
    audit: { at, userId: account.id, actor, detail },
    notice: {
      to: account.id,
      dedupeKey: `${detail.kind} ${"role" in detail ? `${detail.role} ` : ""}${at}`,
      ...words(detail, at)
    }
  }
}

const ROLE: Readonly<Record<Role, string>> = { developer: "a developer", reviewer: "a reviewer", admin: "an admin" }

const words = (detail: Detail, at: Timestamp): Pick<MailMessage, "subject" | "body"> => {
  const on = `On ${Words.moment(at)}`
  switch (detail.kind) {
    case "role_given":
      return {
        subject: `You are ${ROLE[detail.role]} now`,
        body: `${on} those who run this service made you ${ROLE[detail.role]}. If you did not expect this, tell them.`
      }
    case "role_taken":
      return {
        subject: `You are not ${ROLE[detail.role]} any more`,
        body: `${on} those who run this service took the role from you. Your account stays as it is otherwise.`
      }
    case "address_confirmed":
      return {
        subject: "Your e-mail address is confirmed",
        body: `${on} those who run this service confirmed that this address is yours. From now on we write here, and you can connect apps. If you have no account with us, tell them.`
      }
    case "account_suspended":
      return {
        subject: "Your account was suspended",
        body: [
          `${on} those who run this service suspended your account. You cannot sign in, connected apps get no answers about you and no events, and your own apps are paused.`,
          "Nothing is deleted. Your phones can still upload: when the account is resumed, everything works as before. To find out why, ask those who run this service."
        ].join("\n\n")
      }
    case "account_resumed":
      return {
        subject: "Your account works again",
        body: `${on} those who run this service resumed your account. You can sign in again; connected apps and your own apps work as before. Events from the time between are not sent later.`
      }
  }
}
