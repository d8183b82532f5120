import type { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { AccountLink, type PasswordChange } from "@place-access/domain/credentials"
import { type UserId, Vault } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { AccountRow, COLUMNS } from "../accounts/AccountRow.js"
import { lockingCredentials } from "../accounts/credentialLock.js"
import * as Rows from "../driver/Rows.js"

export const LinkRow = Schema.Struct({
  link_hash: Vault.Hash,
  user_id: AccountRow.fields.user_id,
  purpose: AccountLink.LinkPurpose,
  link_email: Schema.typeSchema(Account.Email),
  new_email: Schema.NullOr(Schema.typeSchema(Account.Email)),
  link_address_version: Schema.Int,
  link_created_at: Rows.At,
  link_expires_at: Rows.At
})

export const toLink = (row: typeof LinkRow.Type): AccountLink.AccountLink => ({
  hash: row.link_hash,
  userId: row.user_id,
  purpose: row.purpose,
  email: row.link_email,
  newEmail: row.new_email,
  addressVersion: row.link_address_version,
  createdAt: row.link_created_at,
  expiresAt: row.link_expires_at
})

/** The columns of a `LinkRow`, for a SELECT from `account_links l`. */
export const LINK_COLUMNS = `l.link_hash, l.user_id, l.purpose, l.email AS link_email, l.new_email,
  l.address_version AS link_address_version, l.created_at AS link_created_at, l.expires_at AS link_expires_at`

/** The number of inserted rows: 0 when an earlier try, whose COMMIT was not answered, has stored the link already. */
export const insertLink = (sql: SqlClient, link: AccountLink.AccountLink) =>
  Rows.affected(sql`INSERT INTO account_links
        (link_hash, user_id, purpose, email, new_email, address_version, created_at, expires_at)
      VALUES (${link.hash}, ${link.userId}, ${link.purpose}, ${link.email}, ${link.newEmail}, ${link.addressVersion},
        ${Rows.at(link.createdAt)}, ${Rows.at(link.expiresAt)})
      ON CONFLICT (link_hash) DO NOTHING`)

export const linkOf = (sql: SqlClient, userId: UserId, hash: Vault.Hash) =>
  sql`SELECT ${sql.literal(LINK_COLUMNS)} FROM account_links l
      WHERE l.link_hash = ${hash} AND l.user_id = ${userId}`.pipe(
    Rows.first(LinkRow),
    Effect.map((row) => Option.getOrNull(Option.map(row, toLink)))
  )

const LockedRow = Schema.Struct({
  ...AccountRow.fields,
  password_version: Schema.Int,
  address_version: Schema.Int
})

/**
 * Returns a function that locks the account's row, takes the lock of the credentials (`lockCredentials`) and returns
 * the row. Until the transaction ends, every other writer of the row waits.
 */
export const lockAccount = (sql: SqlClient) => {
  const locking = lockingCredentials(sql)
  return (userId: UserId) =>
    locking(
      sql`SELECT ${COLUMNS}, password_version, address_version FROM accounts WHERE user_id = ${userId} FOR UPDATE`.pipe(
        Rows.first(LockedRow)
      )
    )
}
export type LockAccount = ReturnType<typeof lockAccount>

/** Replaces the password, ends all sessions except `keeps`, and forgets the failed attempts to sign in. */
export const writePassword = (
  sql: SqlClient,
  { email, id }: Pick<Account.Account, "email" | "id">,
  { keeps, passwordHash }: Pick<PasswordChange.PasswordReplacement, "keeps" | "passwordHash">,
  before: number
) =>
  Effect.gen(function* () {
    yield* sql`UPDATE accounts SET password_hash = ${passwordHash}, password_version = password_version + 1
               WHERE user_id = ${id}`
    if (keeps !== null) {
      yield* sql`UPDATE sessions SET password_version = ${before + 1} WHERE user_id = ${id} AND session_hash = ${keeps}`
    }
    yield* sql`DELETE FROM sessions WHERE user_id = ${id} AND session_hash IS DISTINCT FROM ${keeps}`
    yield* sql`UPDATE sign_in_tries SET forgotten = true WHERE email = ${email} AND failed AND NOT forgotten`
  })
