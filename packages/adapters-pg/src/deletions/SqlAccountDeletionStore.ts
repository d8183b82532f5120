import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, Layer, Option, Schema } from "effect"
import { AccountRow, COLUMNS, toAccount } from "../accounts/AccountRow.js"
import { lockAdmins } from "../accounts/adminLock.js"
import { lockCredentials } from "../accounts/credentialLock.js"
import { lockTeams } from "../apps/appsLock.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"
import { closeAccount } from "./closeAccount.js"
import { deletionOutlook, deletionState } from "./deletionState.js"
import { isDistributed } from "../schema/isDistributed.js"
import * as Leftovers from "./Leftovers.js"

type Store = typeof AccountDeletionStore.Service

const { NOBODY } = AccountDeletion

export const layer: Layer.Layer<AccountDeletionStore, never, SqlClient> = Layer.effect(
  AccountDeletionStore,
  Effect.map(SqlClient, (sql) =>
    AccountDeletionStore.of({
      describe: describe(sql),
      begin: begin(sql),
      due: due(sql),
      removeSome: (userId, now, limit) => Leftovers.remove(sql, userId, now, limit).pipe(orStoreError),
      lookAgain: lookAgain(sql),
      finish: finish(sql)
    })
  )
)

const describe =
  (sql: SqlClient): Store["describe"] =>
  (userId) =>
    sql`SELECT ${COLUMNS} FROM accounts WHERE user_id = ${userId}`.pipe(
      Rows.first(AccountRow),
      Effect.flatMap(Effect.transposeMapOption((row) => deletionOutlook(sql, toAccount(row)))),
      orStoreError
    )

const begin = (sql: SqlClient): Store["begin"] => {
  const onCluster = isDistributed(sql)
  return (userId, decide) => {
    const deletion = (isCluster: boolean) =>
      Effect.gen(function* () {
        // Citus requires this setting for a transaction that first writes to a table copied to every node: the
        // transaction's other writes then visit one node after the other. A single server ignores the setting.
        yield* sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`
        // Takes the lock of the credentials on a cluster only, because changes of all accounts wait for this lock. A
        // single server locks rows and not whole tables, so there it is enough to lock rows in a fixed order: accounts
        // before sign-ups and sessions.
        if (isCluster) yield* lockCredentials(sql)
        yield* lockTeams(sql, userId)
        const row = yield* sql`SELECT ${COLUMNS} FROM accounts WHERE user_id = ${userId} FOR UPDATE`.pipe(
          Rows.first(AccountRow)
        )
        if (Option.isNone(row)) return Option.none()
        const account = toAccount(row.value)
        if (Account.hasRole(account, "admin")) yield* lockAdmins(sql)
        // Locks the apps a second time, because the account may have got an app, or joined a team, before its row was
        // locked. A transaction that changes a team, or that deletes or suspends one of its owners, locks the app
        // first. So after this lock, the owners in the apps' teams do not change until the commit.
        yield* lockTeams(sql, userId)
        const state = yield* deletionState(sql, account)
        const decided = decide(state, yield* Timestamp.now)
        if (Either.isRight(decided)) yield* closeAccount(sql, state, decided.right)
        return Option.some(decided)
      }).pipe(sql.withTransaction, Effect.uninterruptible)
    return orStoreError(Effect.flatMap(onCluster, deletion))
  }
}

const LeftoverRow = Schema.Struct({ user_id: UserId, requested_at: Rows.At })

const due =
  (sql: SqlClient): Store["due"] =>
  (buckets, limit, now) =>
    sql`SELECT user_id, requested_at FROM account_deletions WHERE look_at <= ${Rows.at(now)} ${Buckets.andOf(sql, buckets)}
        ORDER BY look_at LIMIT ${limit}`.pipe(
      Rows.all(LeftoverRow),
      Effect.map((rows) => rows.map((row) => ({ userId: row.user_id, requestedAt: row.requested_at }))),
      orStoreError
    )

const lookAgain =
  (sql: SqlClient): Store["lookAgain"] =>
  (userId, at) =>
    sql`UPDATE account_deletions SET look_at = ${Rows.at(at)} WHERE user_id = ${userId}`.pipe(
      Effect.asVoid,
      orStoreError
    )

/**
 * A separate statement deletes the counts of calls that name the account, because these counts are on all shards. The
 * other rows are the last trace of the account, so they are deleted last.
 */
const finish =
  (sql: SqlClient): Store["finish"] =>
  (userId) =>
    Effect.zipRight(
      sql`DELETE FROM rate_windows WHERE strpos(subject, ${userId}) > 0`,
      Effect.zipRight(
        sql`DELETE FROM mail_outbox
            WHERE user_id = ${NOBODY.id} AND dedupe_key = ${AccountDeletion.receiptKey(userId)}`,
        sql`DELETE FROM account_deletions WHERE user_id = ${userId}`
      ).pipe(sql.withTransaction)
    ).pipe(Effect.asVoid, orStoreError)
