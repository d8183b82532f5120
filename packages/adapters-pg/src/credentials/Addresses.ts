import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Account } from "@place-access/domain/accounts"
import { type AddressChange, type CredentialStore, SignUpRequest } from "@place-access/domain/credentials"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { AccountRow, toAccount } from "../accounts/AccountRow.js"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { readFactors } from "../factors/readFactors.js"
import { writeFactors } from "../factors/writeFactors.js"
import { isUniqueViolation, orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { insertLink, linkOf, type LockAccount, writePassword } from "./LinkRow.js"

/**
 * Two methods of `CredentialStore`. `replaceAddress` replaces the e-mail address of an account. `useLink` uses up a
 * mailed link and leaves the account as it is. Only an `unlock` link is used this way: it makes a browser known to the
 * account.
 */

type Store = typeof CredentialStore.Service

const HolderRow = Schema.Struct({ user_id: AccountRow.fields.user_id, confirmed_at: Rows.NullableAt })

/**
 * Frees an e-mail address for the account `to`. `isConfirmed` says whether `to` has proved that it receives mail at
 * this address. If so, another account that has the address and never confirmed the address gets a placeholder address
 * instead (`releasedEmail`). The caller holds the lock of the credentials (`lockCredentials`). Returns whether another
 * account keeps the address.
 */
export const release = (sql: SqlClient, email: Account.Email, to: UserId, isConfirmed: boolean) =>
  Effect.gen(function* () {
    const holder = yield* sql`SELECT user_id, confirmed_at FROM accounts
                              WHERE email = ${email} AND user_id <> ${to}`.pipe(Rows.first(HolderRow))
    if (Option.isNone(holder)) return false
    const { confirmed_at: confirmedAt, user_id: id } = holder.value
    if (!isConfirmed || confirmedAt !== null) return true
    yield* sql`UPDATE accounts SET email = ${SignUpRequest.releasedEmail(id)} WHERE user_id = ${id}`
    return false
  })

/**
 * Turns a unique violation into `Taken`. `AccountStore.create` does not take the lock of the credentials
 * (`lockCredentials`), so it may insert an account with the same address while this transaction runs.
 */
const takenIfUnique = <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>) =>
  Effect.catchAll(effect, (error) =>
    isUniqueViolation(error, "accounts_email_key") ? Effect.succeed("Taken" as const) : Effect.fail(error)
  )

export const replaceAddress =
  (sql: SqlClient, lock: LockAccount): Store["replaceAddress"] =>
  (userId, linkHash, decide) =>
    Effect.gen(function* () {
      const row = yield* lock(userId)
      if (Option.isNone(row)) return "Refused" as const
      const account = toAccount(row.value)
      const { address_version: addressVersion, password_version: passwordVersion } = row.value
      const link = yield* linkOf(sql, userId, linkHash)
      const factors = yield* readFactors(sql, userId)
      const now = yield* Timestamp.now
      const state = { account, passwordVersion, addressVersion, factors, link }
      const decided = decide(state, now)
      if (decided === null) return "Refused" as const
      if (yield* release(sql, decided.email, userId, decided.confirmedAt !== null)) return "Taken" as const
      yield* write(sql, state, decided, now)
      return "Replaced" as const
    }).pipe(sql.withTransaction, Effect.uninterruptible, takenIfUnique, orStoreError)

const write = (
  sql: SqlClient,
  { account: { id }, factors: before, passwordVersion }: AddressChange.AddressState,
  { audit, confirmedAt, email, factors, keepsUndoBelow, mails, passwordHash, undo }: AddressChange.AddressReplacement,
  now: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    yield* sql`UPDATE accounts SET email = ${email}, confirmed_at = ${Rows.nullableAt(confirmedAt)},
                 address_version = address_version + 1
               WHERE user_id = ${id}`
    if (passwordHash !== null) yield* writePassword(sql, { id, email }, { keeps: null, passwordHash }, passwordVersion)
    yield* sql`DELETE FROM account_links WHERE user_id = ${id}
                 AND NOT (purpose = 'address_undo' AND address_version < ${keepsUndoBelow})`
    if (undo !== null) yield* insertLink(sql, undo)
    yield* writeFactors(sql, id, before, factors)
    for (const event of audit) yield* AuditLog.append(sql, event)
    for (const mail of mails) yield* MailOutbox.queue(sql, mail, now)
  })

export const useLink =
  (sql: SqlClient, lock: LockAccount): Store["useLink"] =>
  (userId, linkHash, decide) =>
    Effect.gen(function* () {
      const row = yield* lock(userId)
      if (Option.isNone(row)) return false
      const state = { account: toAccount(row.value), passwordVersion: row.value.password_version }
      const link = yield* linkOf(sql, userId, linkHash)
      const audit = link === null ? null : decide({ ...state, link }, yield* Timestamp.now)
      if (audit === null) return false
      yield* sql`DELETE FROM account_links WHERE link_hash = ${linkHash} AND user_id = ${userId}`
      yield* AuditLog.append(sql, audit)
      return true
    }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
