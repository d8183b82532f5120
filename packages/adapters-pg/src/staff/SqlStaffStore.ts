import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { Conflict, Page, Timestamp, type UserId } from "@place-access/domain/shared"
import { StaffStore } from "@place-access/domain/staff"
import { Effect, Either, Layer, Option } from "effect"
import { AccountRow, COLUMNS, toAccount } from "../accounts/AccountRow.js"
import { lockAdmins } from "../accounts/adminLock.js"
import { hasAnotherOfStaff } from "../accounts/anotherOfStaff.js"
import { lockTeams } from "../apps/appsLock.js"
import { lockingCredentials } from "../accounts/credentialLock.js"
import * as AuditLog from "../audit/SqlAuditLog.js"
import { release } from "../credentials/Addresses.js"
import * as Rows from "../driver/Rows.js"
import { isUniqueViolation, orStoreError } from "../Failures.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import * as TimePosition from "../driver/TimePosition.js"
import { endInvitations } from "../teams/endInvitations.js"

type Store = typeof StaffStore.Service

export const layer: Layer.Layer<StaffStore, never, SqlClient> = Layer.effect(
  StaffStore,
  Effect.map(SqlClient, (sql) => StaffStore.of({ change: change(sql), list: list(sql) }))
)

const TAKEN = Option.some(Either.left(new Conflict({ reason: Account.EMAIL_TAKEN })))

/**
 * Locks the account and its apps, and takes the lock of `lockAdmins`. Returns none when the account does not belong to
 * a person (`Account.isPerson`). On a single server, take the lock of the credentials after these locks, because other
 * people's changes wait for the lock of the credentials.
 */
const lockPerson = (sql: SqlClient, id: UserId) =>
  Effect.gen(function* () {
    yield* lockTeams(sql, id)
    const row = yield* sql`SELECT ${COLUMNS} FROM accounts WHERE user_id = ${id} FOR UPDATE`.pipe(
      Rows.first(AccountRow)
    )
    const found = Option.filter(Option.map(row, toAccount), Account.isPerson)
    if (Option.isNone(found)) return found
    yield* lockAdmins(sql)
    // Locks the apps a second time, because the account may have got an app, or joined a team, before its row was
    // locked.
    yield* lockTeams(sql, id)
    return found
  })

const change = (sql: SqlClient): Store["change"] => {
  const locking = lockingCredentials(sql)
  return (id, step) =>
    Effect.gen(function* () {
      // Citus requires this setting for a transaction that first writes to a table copied to every node: the
      // transaction's other writes then visit one node after the other.
      yield* sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`
      const found = yield* locking(lockPerson(sql, id))
      if (Option.isNone(found)) return Option.none()
      const before = found.value
      const hasOtherAdmin = !Account.hasRole(before, "admin") || (yield* hasAnotherOfStaff(sql, [id], ["admin"]))
      const stepped = step({ account: before, hasOtherAdmin }, yield* Timestamp.now)
      if (Either.isLeft(stepped)) return Option.some(Either.left(stepped.left))
      if (stepped.right === null) return Option.some(Either.right(before))
      const { account, audit, ended, notice } = stepped.right
      const { email } = account
      if (email !== before.email && (yield* release(sql, email, id, account.confirmedAt !== null))) return TAKEN
      const suspension =
        ended === undefined
          ? sql``
          : sql`, suspensions = suspensions + tstzmultirange(
                    tstzrange(${Rows.at(ended.from)}::timestamptz, ${Rows.at(ended.until)}::timestamptz))`
      const suspendedAt = Rows.nullableAt(account.suspendedAt)
      yield* sql`UPDATE accounts SET roles = ${account.roles}, email = ${email}, suspended_at = ${suspendedAt},
                 confirmed_at = ${Rows.nullableAt(account.confirmedAt)} ${suspension} WHERE user_id = ${id}`
      yield* sql`UPDATE apps SET suspended_at = ${suspendedAt} ${suspension} WHERE owner_id = ${id}`
      if (account.suspendedAt !== before.suspendedAt) yield* endInvitations(sql, sql`invited_by = ${id}`)
      yield* AuditLog.append(sql, audit)
      yield* MailOutbox.queue(sql, notice, audit.at)
      return Option.some(Either.right(account))
    }).pipe(
      sql.withTransaction,
      Effect.uninterruptible,
      // `AccountStore.create` does not take the lock of the credentials (`lockCredentials`), so it may have stored an
      // account with the new address meanwhile.
      Effect.catchIf(
        (error) => isUniqueViolation(error, "accounts_email_key"),
        () => Effect.succeed(TAKEN)
      ),
      orStoreError
    )
}

const list =
  (sql: SqlClient): Store["list"] =>
  (limit, after) =>
    Effect.gen(function* () {
      const from = yield* TimePosition.decode(after)
      const rest =
        from === undefined ? sql`` : sql`AND (created_at, user_id COLLATE "C") < (${Rows.at(from[0])}, ${from[1]})`
      const rows = yield* sql`SELECT ${COLUMNS} FROM accounts
                              WHERE user_id <> ${Account.NOBODY_ID} AND test_app_id IS NULL ${rest}
                              ORDER BY created_at DESC, user_id COLLATE "C" DESC LIMIT ${limit + 1}`.pipe(
        Rows.all(AccountRow)
      )
      return Page.of(rows.map(toAccount), limit, (last) => [last.createdAt, last.id])
    }).pipe(orStoreError)
