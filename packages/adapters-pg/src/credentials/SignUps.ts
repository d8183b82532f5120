import type { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import type { CredentialStore, SignUpRequest } from "@place-access/domain/credentials"
import { History } from "@place-access/domain/retention-choice"
import { Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import { lockCredentials } from "../accounts/credentialLock.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { release } from "./Addresses.js"

/** The methods of `CredentialStore` for accounts that wait for their address to be confirmed. */

type Store = typeof CredentialStore.Service

const Row = Schema.Struct({
  link_hash: Vault.Hash,
  user_id: UserId,
  email: Schema.typeSchema(Account.Email),
  display_name: Schema.typeSchema(Account.DisplayName),
  password_hash: Schema.String,
  keep_days: Schema.typeSchema(History.Keep),
  return_to: Schema.String,
  created_at: Rows.At,
  expires_at: Rows.At
})

const COLUMNS = Rows.columns(Row)

const toRequest = (row: typeof Row.Type): SignUpRequest.SignUpRequest => ({
  hash: row.link_hash,
  userId: row.user_id,
  email: row.email,
  displayName: row.display_name,
  passwordHash: row.password_hash,
  keep: row.keep_days,
  returnTo: row.return_to,
  createdAt: row.created_at,
  expiresAt: row.expires_at
})

export const request =
  (sql: SqlClient): Store["requestSignUp"] =>
  (one, mail) =>
    Effect.gen(function* () {
      yield* lockCredentials(sql)
      // The row and the mail are stored already if an earlier try was committed and its answer was lost.
      yield* sql`INSERT INTO pending_accounts (link_hash, user_id, email, display_name, password_hash, keep_days,
                   return_to, created_at, expires_at)
                 VALUES (${one.hash}, ${one.userId}, ${one.email}, ${one.displayName}, ${one.passwordHash}, ${one.keep},
                   ${one.returnTo}, ${Rows.at(one.createdAt)}, ${Rows.at(one.expiresAt)})
                 ON CONFLICT (link_hash) DO NOTHING`
      yield* MailOutbox.queue(sql, mail, one.createdAt)
    }).pipe(sql.withTransaction, orStoreError)

export const find =
  (sql: SqlClient): Store["findSignUp"] =>
  (hash) =>
    orStoreError(read(sql, hash))

const read = (sql: SqlClient, hash: Vault.Hash) =>
  sql`SELECT ${COLUMNS} FROM pending_accounts WHERE link_hash = ${hash}`.pipe(
    Rows.first(Row),
    Effect.map(Option.map(toRequest))
  )

export const newest =
  (sql: SqlClient): Store["newestSignUp"] =>
  (email, now, userId) =>
    sql`SELECT ${COLUMNS} FROM pending_accounts WHERE email = ${email} AND expires_at > ${Rows.at(now)}
          AND ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}
        ORDER BY created_at DESC, link_hash COLLATE "C" LIMIT 1`.pipe(
      Rows.first(Row),
      Effect.map(Option.map(toRequest)),
      orStoreError
    )

export const confirm =
  (sql: SqlClient): Store["confirmSignUp"] =>
  (hash, decide) =>
    Effect.gen(function* () {
      yield* lockCredentials(sql)
      const found = yield* read(sql, hash)
      const confirmed = Option.isNone(found) ? null : decide(found.value, yield* Timestamp.now)
      if (Option.isNone(found) || confirmed === null) return "Refused" as const
      const { account, audit } = confirmed
      // `release` may lock an account, so it comes before the DELETE: a deletion of an account also locks the account
      // before `pending_accounts`. With different orders, two transactions could wait for each other.
      const isTaken = yield* release(sql, account.email, account.id, true)
      yield* sql`DELETE FROM pending_accounts WHERE email = ${found.value.email}`
      if (isTaken) return "Taken" as const
      if (!(yield* insert(sql, account, found.value))) return "Taken" as const
      yield* AuditLog.append(sql, audit)
      return "Made" as const
    }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)

const insert = (sql: SqlClient, account: Account.Account, { keep, passwordHash }: SignUpRequest.SignUpRequest) =>
  Effect.gen(function* () {
    const { confirmedAt, createdAt, displayName, email, id, roles } = account
    const inserted = yield* Rows.affected(
      sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at, confirmed_at)
          VALUES (${id}, ${email}, ${displayName}, ${passwordHash}, ${roles}, ${Rows.at(createdAt)},
                  ${Rows.nullableAt(confirmedAt)})
          ON CONFLICT (email) DO NOTHING`
    )
    if (inserted === 0) return false
    yield* sql`INSERT INTO history_choices (user_id, keep_days, chosen_at) VALUES (${id}, ${keep}, ${Rows.at(createdAt)})`
    return true
  })
