import { SqlClient } from "@effect/sql/SqlClient"
import { Account, AccountStore } from "@place-access/domain/accounts"
import { Conflict } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { type LockAppsOnCluster, lockAppsOnCluster } from "../apps/appsLock.js"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { hasAnotherOfStaff } from "./anotherOfStaff.js"
import { AccountRow, COLUMNS, toAccount } from "./AccountRow.js"
import * as NoticeChoices from "./NoticeChoices.js"
import * as Sessions from "./Sessions.js"
import * as SignInTries from "./SignInTries.js"

type Store = typeof AccountStore.Service

export const layer: Layer.Layer<AccountStore, never, SqlClient> = Layer.effect(
  AccountStore,
  Effect.map(SqlClient, (sql) =>
    AccountStore.of({
      create: create(sql),
      find: find(sql),
      findByEmail: findByEmail(sql),
      hasAnother: hasAnother(sql),
      hasFactor: hasFactor(sql),
      addRoles: addRoles(sql, lockAppsOnCluster(sql)),
      changeName: changeName(sql),
      learnTimeZone: learnTimeZone(sql),
      chooseTimeZone: chooseTimeZone(sql),
      learnLanguage: learnLanguage(sql),
      chooseLanguage: chooseLanguage(sql),
      notices: NoticeChoices.find(sql),
      chooseNotices: NoticeChoices.choose(sql),
      listNotified: NoticeChoices.list(sql),
      openSession: Sessions.open(sql),
      findSession: Sessions.find(sql),
      renewSession: Sessions.renew(sql),
      confirmSession: Sessions.confirm(sql),
      listSessions: Sessions.list(sql),
      closeSession: Sessions.close(sql),
      closeOtherSessions: Sessions.closeOthers(sql),
      admitTry: SignInTries.admit(sql),
      failTry: SignInTries.fail(sql),
      clearTries: SignInTries.clear(sql)
    })
  )
)

const create =
  (sql: SqlClient): Store["create"] =>
  (account, passwordHash, keep, audit) =>
    Effect.gen(function* () {
      const inserted = yield* Rows.affected(insertUnlessTaken(sql, account, passwordHash))
      if (inserted === 0) return yield* new Conflict({ reason: Account.EMAIL_TAKEN })
      if (keep !== undefined) {
        yield* sql`INSERT INTO history_choices (user_id, keep_days, chosen_at)
                   VALUES (${account.id}, ${keep}, ${Rows.at(account.createdAt)})`
      }
      if (audit !== undefined) yield* AuditLog.append(sql, audit)
    }).pipe(sql.withTransaction, orStoreError)

const insertUnlessTaken = (sql: SqlClient, account: Account.Account, passwordHash: string) =>
  sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at, confirmed_at, time_zone,
                            language, browser_language)
      VALUES (${account.id}, ${account.email}, ${account.displayName}, ${passwordHash}, ${account.roles},
              ${Rows.at(account.createdAt)}, ${Rows.nullableAt(account.confirmedAt)}, ${account.timeZone},
              ${account.language}, ${account.browserLanguage})
      ON CONFLICT (email) DO NOTHING`

const find =
  (sql: SqlClient): Store["find"] =>
  (id) =>
    sql`SELECT ${COLUMNS} FROM accounts WHERE user_id = ${id}`.pipe(
      Rows.first(AccountRow),
      Effect.map(Option.map(toAccount)),
      orStoreError
    )

const CredentialsRow = Schema.Struct({
  ...AccountRow.fields,
  password_hash: Schema.String,
  password_version: Schema.Int
})

const findByEmail =
  (sql: SqlClient): Store["findByEmail"] =>
  (email) =>
    sql`SELECT ${COLUMNS}, password_hash, password_version FROM accounts WHERE email = ${email}`.pipe(
      Rows.first(CredentialsRow),
      Effect.map(
        Option.map((row) => ({
          account: toAccount(row),
          passwordHash: row.password_hash,
          passwordVersion: row.password_version
        }))
      ),
      orStoreError
    )

const hasAnother =
  (sql: SqlClient): Store["hasAnother"] =>
  (ids, roles) =>
    orStoreError(hasAnotherOfStaff(sql, ids, roles))

const hasFactor =
  (sql: SqlClient): Store["hasFactor"] =>
  (id) =>
    sql`SELECT EXISTS (SELECT 1 FROM passkeys WHERE user_id = ${id})
          OR EXISTS (SELECT 1 FROM code_apps WHERE user_id = ${id} AND confirmed_at IS NOT NULL) AS has`.pipe(
      Rows.first(Schema.Struct({ has: Schema.Boolean })),
      Effect.map(Option.exists(({ has }) => has)),
      orStoreError
    )

const addRoles =
  (sql: SqlClient, lockApps: LockAppsOnCluster): Store["addRoles"] =>
  (id, roles) =>
    Effect.gen(function* () {
      // On a cluster, locks the account's apps before the account, so that transactions do not deadlock
      // (`lockAppsOnCluster`). When a request with an idempotency key creates an app or accepts an invitation, this
      // transaction also writes to apps and teams, after it has added the role.
      yield* lockApps(id)
      // FOR UPDATE would also lock the key of the account's row, to which the row of a new team member refers. Then two
      // invitations that the same account accepts could deadlock: the first has locked the app and waits for the key,
      // and the second has locked the key and waits for the app.
      const before = yield* sql`SELECT ${COLUMNS} FROM accounts WHERE user_id = ${id} FOR NO KEY UPDATE`.pipe(
        Rows.first(AccountRow)
      )
      if (Option.isNone(before)) return Option.none()
      const present = toAccount(before.value)
      const after = Account.withRoles(present, roles)
      if (after.roles.length > present.roles.length) {
        yield* sql`UPDATE accounts SET roles = ${after.roles} WHERE user_id = ${id}`
      }
      return Option.some(after)
    }).pipe(sql.withTransaction, orStoreError)

const changeName =
  (sql: SqlClient): Store["changeName"] =>
  (id, name, audit) =>
    Effect.gen(function* () {
      const changed = yield* Rows.affected(
        sql`UPDATE accounts SET display_name = ${name} WHERE user_id = ${id} AND display_name <> ${name}`
      )
      if (changed === 0) return false
      yield* AuditLog.append(sql, audit)
      return true
    }).pipe(sql.withTransaction, orStoreError)

const learnTimeZone =
  (sql: SqlClient): Store["learnTimeZone"] =>
  (id, name) =>
    sql`UPDATE accounts SET time_zone = ${name} WHERE user_id = ${id} AND time_zone IS NULL`.pipe(
      Effect.asVoid,
      orStoreError
    )

const chooseTimeZone =
  (sql: SqlClient): Store["chooseTimeZone"] =>
  (id, name) =>
    sql`UPDATE accounts SET time_zone = ${name} WHERE user_id = ${id}`.pipe(Effect.asVoid, orStoreError)

const learnLanguage =
  (sql: SqlClient): Store["learnLanguage"] =>
  (id, language) =>
    sql`UPDATE accounts SET browser_language = ${language}
        WHERE user_id = ${id} AND browser_language IS NULL`.pipe(Effect.asVoid, orStoreError)

const chooseLanguage =
  (sql: SqlClient): Store["chooseLanguage"] =>
  (id, language) =>
    sql`UPDATE accounts SET language = ${language} WHERE user_id = ${id}`.pipe(Effect.asVoid, orStoreError)
