import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { AccountLink, CredentialStore, type PasswordChange } from "@place-access/domain/credentials"
import { Timestamp, type UserId, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { AccountRow, COLUMNS, COLUMNS_OF_A, toAccount } from "../accounts/AccountRow.js"
import { lockCredentials } from "../accounts/credentialLock.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"

type Store = typeof CredentialStore.Service

export const layer: Layer.Layer<CredentialStore, never, SqlClient> = Layer.effect(
  CredentialStore,
  Effect.map(SqlClient, (sql) =>
    CredentialStore.of({
      offerLink: offerLink(sql),
      findLink: findLink(sql),
      replacePassword: replacePassword(sql)
    })
  )
)

const LinkRow = Schema.Struct({
  link_hash: Vault.Hash,
  user_id: AccountRow.fields.user_id,
  purpose: AccountLink.LinkPurpose,
  link_email: Schema.typeSchema(Account.Email),
  link_created_at: Rows.At,
  link_expires_at: Rows.At
})

const toLink = (row: typeof LinkRow.Type): AccountLink.AccountLink => ({
  hash: row.link_hash,
  userId: row.user_id,
  purpose: row.purpose,
  email: row.link_email,
  createdAt: row.link_created_at,
  expiresAt: row.link_expires_at
})

/** The caller goes on with the account as it is: every other writer of it waits until the transaction ends. */
const lockAccount = (sql: SqlClient, userId: UserId) =>
  Effect.zipRight(
    lockCredentials(sql),
    sql`SELECT ${COLUMNS}, password_version FROM accounts WHERE user_id = ${userId} FOR UPDATE`.pipe(
      Rows.first(Schema.Struct({ ...AccountRow.fields, password_version: Schema.Int }))
    )
  )

const offerLink =
  (sql: SqlClient): Store["offerLink"] =>
  (link, mail) =>
    Effect.gen(function* () {
      const owner = yield* lockAccount(sql, link.userId)
      if (!Option.exists(owner, ({ email }) => email === link.email)) return false
      yield* sql`INSERT INTO account_links (link_hash, user_id, purpose, email, created_at, expires_at)
                 VALUES (${link.hash}, ${link.userId}, ${link.purpose}, ${link.email}, ${Rows.at(link.createdAt)},
                   ${Rows.at(link.expiresAt)})`
      if (mail !== null) yield* MailOutbox.queue(sql, mail, link.createdAt)
      return true
    }).pipe(sql.withTransaction, orStoreError)

const LINK_COLUMNS = `link_hash, l.user_id, purpose, l.email AS link_email, l.created_at AS link_created_at,
  l.expires_at AS link_expires_at`

const findLink =
  (sql: SqlClient): Store["findLink"] =>
  (hash) =>
    sql`SELECT ${sql.literal(LINK_COLUMNS)}, ${COLUMNS_OF_A} FROM account_links l
        JOIN accounts a ON a.user_id = l.user_id WHERE l.link_hash = ${hash}`.pipe(
      Rows.first(Schema.Struct({ ...Struct.omit(LinkRow.fields, "user_id"), ...AccountRow.fields })),
      Effect.map(Option.map((row) => ({ link: toLink(row), account: toAccount(row) }))),
      orStoreError
    )

const linkOf = (sql: SqlClient, userId: UserId, hash: Vault.Hash) =>
  sql`SELECT ${sql.literal(LINK_COLUMNS)} FROM account_links l
      WHERE link_hash = ${hash} AND user_id = ${userId}`.pipe(
    Rows.first(LinkRow),
    Effect.map((row) => Option.getOrNull(Option.map(row, toLink)))
  )

const replacePassword =
  (sql: SqlClient): Store["replacePassword"] =>
  (userId, linkHash, decide) =>
    Effect.gen(function* () {
      const row = yield* lockAccount(sql, userId)
      if (Option.isNone(row)) return false
      const account = toAccount(row.value)
      const link = linkHash === null ? null : yield* linkOf(sql, userId, linkHash)
      const now = yield* Timestamp.now
      const decided = decide({ account, passwordVersion: row.value.password_version, link }, now)
      if (decided === null) return false
      yield* write(sql, account, decided, row.value.password_version, now)
      return true
    }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)

const write = (
  sql: SqlClient,
  { email, id }: Account.Account,
  { keeps, notice, passwordHash }: PasswordChange.PasswordReplacement,
  before: number,
  now: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    yield* sql`UPDATE accounts SET password_hash = ${passwordHash}, password_version = password_version + 1
               WHERE user_id = ${id}`
    if (keeps !== null) {
      yield* sql`UPDATE sessions SET password_version = ${before + 1} WHERE user_id = ${id} AND session_hash = ${keeps}`
    }
    yield* sql`DELETE FROM sessions WHERE user_id = ${id} AND session_hash IS DISTINCT FROM ${keeps}`
    yield* sql`DELETE FROM account_links WHERE user_id = ${id}`
    yield* sql`UPDATE sign_in_tries SET forgotten = true WHERE email = ${email} AND failed AND NOT forgotten`
    yield* MailOutbox.queue(sql, notice, now)
  })
