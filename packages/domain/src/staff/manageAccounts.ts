import { Effect, Either, Option, Schema } from "effect"
import { type Account, Email, isPerson, type Role } from "../accounts/Account.js"
import { AccountStore } from "../accounts/AccountStore.js"
import { findAccounts } from "../accounts/findAccounts.js"
import { endAllSessions } from "../accounts/sessions.js"
import { nameApps } from "../apps/readApps.js"
import { announceAudit, AuditEvent, type AuditFilter, AuditLog, recordAudit } from "../audit/index.js"
import { AccountDeletion, beginDeletion } from "../deletions/index.js"
import { PurposeStore } from "../purposes/index.js"
import * as Staff from "../reviews/Staff.js"
import { Cursor, NotFound, type Page, program, type PurposeId, UserId } from "../shared/index.js"
import * as AccountChange from "./AccountChange.js"
import { StaffStore } from "./StaffStore.js"

/** The person who manages an account: an admin in a session, or an operator with a command on the server. */
export type Manager = Account | "operator"

const actorOf = (by: Manager): AuditEvent.AuditActor =>
  by === "operator" ? AuditEvent.OPERATOR : { _tag: "Staff", id: by.id }

const requireManager = (by: Manager) => (by === "operator" ? Either.void : Staff.requireAdmin(by))

const unknown = () => new NotFound({ what: "account" })

const change = (id: UserId, step: AccountChange.AccountStep) =>
  Effect.gen(function* () {
    let committed: AuditEvent.AuditEvent | undefined
    const outcome = yield* (yield* StaffStore).change(id, (state, now) => {
      const stepped = step(state, now)
      committed = Either.isRight(stepped) ? stepped.right?.audit : undefined
      return stepped
    })
    const account = yield* yield* Effect.mapError(outcome, unknown)
    if (committed !== undefined) yield* announceAudit(committed)
    return account
  })

/**
 * Gives or takes a role. Idempotent. This program does not ask for a fresh sign-in: the admin pages and the API ask for
 * it before an admin makes somebody an admin. Its errors:
 * - `Forbidden` for everybody except admins and operators.
 * - `NotFound` for an unknown account.
 * - `Conflict` when the role `admin` would be taken from the last admin.
 */
export const changeRole = program(
  "changeRole",
  function* (by: Manager, id: UserId, input: { readonly role: Role; readonly isGiven: boolean }) {
    yield* requireManager(by)
    const step = input.isGiven ? AccountChange.giveRole : AccountChange.takeRole
    return yield* change(id, step(input.role, actorOf(by)))
  }
)

/**
 * Suspends the account (decision staff-1). Idempotent. Fails like `changeRole`, except that `Conflict` means that the
 * account is the last admin.
 */
export const suspendAccount = program("suspendAccount", function* (by: Manager, id: UserId) {
  yield* requireManager(by)
  return yield* change(id, AccountChange.suspend(actorOf(by)))
})

/**
 * Ends the suspension of the account: its sessions, connections and apps work as before. Idempotent. Fails like
 * `changeRole`, but never with `Conflict`.
 */
export const resumeAccount = program("resumeAccount", function* (by: Manager, id: UserId) {
  yield* requireManager(by)
  return yield* change(id, AccountChange.resume(actorOf(by)))
})

/**
 * Confirms the e-mail address of an account. Only the operator's command line calls this program: the operator vouches
 * that the address belongs to the account's owner (decision staff-5). With `email`, this address first replaces an
 * address that is not confirmed (decision staff-9). Fails with `NotFound` for an unknown account, and with `Conflict`
 * when another account has confirmed `email`. Idempotent.
 */
export const confirmAccount = program("confirmAccount", function* (id: UserId, email?: Email) {
  return yield* change(id, AccountChange.confirm(AuditEvent.OPERATOR, email))
})

/**
 * Signs the account out everywhere and returns how many browsers were signed in. Fails like `changeRole`, but never
 * with `Conflict`.
 */
export const signOutAccount = program("signOutAccount", function* (by: Manager, id: UserId) {
  yield* findAccount(by, id)
  return yield* endAllSessions(id, by === "operator" ? AuditEvent.OPERATOR : AuditEvent.actorOf(by.id, id))
})

/**
 * Deletes the account for an operator, who has confirmed the command. Fails with `Conflict` for the last admin, and
 * with `NotFound` for an unknown account.
 */
export const deleteAccountAsOperator = program("deleteAccountAsOperator", function* (id: UserId) {
  yield* beginDeletion(id, AccountDeletion.decideForOperator)
  // The audit event contains no account id, because no audit event may name a deleted account. Only the output of the
  // command names the account.
  yield* recordAudit({ userId: null, actor: AuditEvent.OPERATOR, detail: { kind: "account_deleted" } })
})

/**
 * The account with exactly this e-mail address or id. A part of a name finds nothing, so that nobody can browse
 * accounts. Its errors:
 * - `Forbidden` for everybody except admins and operators.
 * - `NotFound` when there is no account with this address or id, and for an account that belongs to no person
 *   (`Account.isPerson`).
 */
export const findAccount = program("findAccount", function* (by: Manager, text: string) {
  yield* requireManager(by)
  const accounts = yield* AccountStore
  const email = Schema.decodeUnknownOption(Email)(text)
  const found = Option.isSome(email)
    ? Option.map(yield* accounts.findByEmail(email.value), ({ account }) => account)
    : yield* accounts.find(yield* Effect.mapError(Schema.decodeUnknown(UserId)(text.trim()), unknown))
  return yield* Effect.mapError(Option.filter(found, isPerson), unknown)
})

/**
 * The accounts of people (`StaffStore.list`), newest first, for operators and admins. Fails with `Forbidden` for
 * everybody else.
 */
export const listAccounts = program("listAccounts", function* (by: Manager, page: Page.PageRequest) {
  yield* requireManager(by)
  const { items, nextCursor } = yield* Cursor.page("accounts", page, (yield* StaffStore).list)
  return { accounts: items, nextCursor }
})

/** The accounts that these audit events name, by account id. Deleted accounts are left out. */
export const nameAccounts = program("nameAccounts", function* (events: ReadonlyArray<AuditEvent.AuditEvent>) {
  return yield* findAccounts(
    events.flatMap(({ actor, userId }) => [...(userId === null ? [] : [userId]), ...("id" in actor ? [actor.id] : [])])
  )
})

/**
 * The present names of the apps that these audit events name, by app id. An app that was removed with its developer is
 * left out.
 */
export const nameAuditedApps = program("nameAuditedApps", function* (events: ReadonlyArray<AuditEvent.AuditEvent>) {
  return yield* nameApps(events.flatMap(({ detail }) => ("appId" in detail ? [detail.appId] : [])))
})

/**
 * The keys of the purposes that these audit events name, by purpose id. A purpose that was removed with its developer
 * is left out.
 */
export const nameAuditedPurposes = program(
  "nameAuditedPurposes",
  function* (events: ReadonlyArray<AuditEvent.AuditEvent>) {
    const purposes = yield* PurposeStore
    const keys = new Map<PurposeId, string>()
    const ids = events.flatMap(({ detail }) => ("purposeId" in detail ? [detail.purposeId] : []))
    for (const id of new Set(ids)) {
      const purpose = id === null ? Option.none() : yield* purposes.find(id)
      if (Option.isSome(purpose)) keys.set(purpose.value.id, purpose.value.key)
    }
    return keys
  }
)

/** The audit log, newest first, for admins. Fails with `Forbidden` for everybody else. */
export const listAudit = program("listAudit", function* (by: Account, filter: AuditFilter, page: Page.PageRequest) {
  yield* Staff.requireAdmin(by)
  const log = yield* AuditLog
  const { items, nextCursor } = yield* Cursor.page(`audit log ${JSON.stringify(filter)}`, page, (limit, after) =>
    log.list(filter, limit, after)
  )
  return { events: items, nextCursor }
})
