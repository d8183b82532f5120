import { SqlClient } from "@effect/sql/SqlClient"
import type { Account } from "@place-access/domain/accounts"
import { AccountLink, CredentialStore, type PasswordChange } from "@place-access/domain/credentials"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { AccountRow, COLUMNS_OF_A, toAccount } from "../accounts/AccountRow.js"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import * as Addresses from "./Addresses.js"
import {
  insertLink,
  LINK_COLUMNS,
  linkOf,
  type LockAccount,
  LinkRow,
  lockAccount,
  toLink,
  writePassword
} from "./LinkRow.js"
import * as SignUps from "./SignUps.js"

type Store = typeof CredentialStore.Service

export const layer: Layer.Layer<CredentialStore, never, SqlClient> = Layer.effect(
  CredentialStore,
  Effect.map(SqlClient, (sql) => {
    const lock = lockAccount(sql)
    return CredentialStore.of({
      offerLink: offerLink(sql, lock),
      findLink: findLink(sql),
      replacePassword: replacePassword(sql, lock),
      replaceAddress: Addresses.replaceAddress(sql, lock),
      useLink: Addresses.useLink(sql, lock),
      requestSignUp: SignUps.request(sql),
      findSignUp: SignUps.find(sql),
      newestSignUp: SignUps.newest(sql),
      confirmSignUp: SignUps.confirm(sql)
    })
  })
)

const offerLink =
  (sql: SqlClient, lock: LockAccount): Store["offerLink"] =>
  (link, mail, audit) =>
    Effect.gen(function* () {
      const owner = yield* lock(link.userId)
      if (!Option.exists(owner, ({ email }) => email === link.email)) return false
      if ((yield* insertLink(sql, link)) === 0) return true
      if (mail !== null) yield* MailOutbox.queue(sql, mail, link.createdAt)
      if (audit !== undefined) yield* AuditLog.append(sql, audit)
      return true
    }).pipe(sql.withTransaction, orStoreError)

const findLink =
  (sql: SqlClient): Store["findLink"] =>
  (hash) =>
    sql`SELECT ${sql.literal(LINK_COLUMNS)}, ${COLUMNS_OF_A} FROM account_links l
        JOIN accounts a ON a.user_id = l.user_id WHERE l.link_hash = ${hash}`.pipe(
      Rows.first(Schema.Struct({ ...Struct.omit(LinkRow.fields, "user_id"), ...AccountRow.fields })),
      Effect.map(Option.map((row) => ({ link: toLink(row), account: toAccount(row) }))),
      orStoreError
    )

const replacePassword =
  (sql: SqlClient, lock: LockAccount): Store["replacePassword"] =>
  (userId, linkHash, decide) =>
    Effect.gen(function* () {
      const row = yield* lock(userId)
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
  account: Account.Account,
  { audit, keeps, notice, passwordHash }: PasswordChange.PasswordReplacement,
  before: number,
  now: Timestamp.Timestamp
) =>
  Effect.gen(function* () {
    yield* writePassword(sql, account, { keeps, passwordHash }, before)
    yield* sql`DELETE FROM account_links WHERE user_id = ${account.id} AND purpose <> ALL(${OUTLIVING}::text[])`
    yield* AuditLog.append(sql, audit)
    yield* MailOutbox.queue(sql, notice, now)
  })

const OUTLIVING = AccountLink.LinkPurpose.literals.filter((purpose) => AccountLink.outlivesPassword({ purpose }))
