import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, Layer, Option, Schema } from "effect"
import { AccountRow, toAccount } from "./AccountRow.js"
import { AppRow, toApp } from "./AppRow.js"
import * as Leftovers from "./deletions/Leftovers.js"
import { orStoreError } from "./Failures.js"
import * as MailOutbox from "./MailOutbox.js"
import * as Rows from "./Rows.js"

const OwnedRow = Schema.Struct({ ...AppRow.fields, people: Rows.Bigint })

const LeftoverRow = Schema.Struct({ user_id: UserId, requested_at: Rows.At })

const { NOBODY } = AccountDeletion

export const layer: Layer.Layer<AccountDeletionStore, never, SqlClient> = Layer.effect(
  AccountDeletionStore,
  Effect.map(SqlClient, (sql) => {
    const accountColumns = sql.literal(Object.keys(AccountRow.fields).join(", "))
    const appColumns = sql.literal(
      Object.keys(AppRow.fields)
        .map((name) => `a.${name}`)
        .join(", ")
    )

    const stateOf = (account: Account.Account) =>
      Effect.gen(function* () {
        const owned = yield* sql`SELECT ${appColumns}, (
            SELECT count(*) FROM connections c
            WHERE c.app_id = a.app_id AND c.ended_at IS NULL AND c.user_id <> a.owner_id) AS people
          FROM apps a WHERE a.owner_id = ${account.id} ORDER BY a.created_at, a.app_id`.pipe(Rows.all(OwnedRow))
        const otherAdmins = Account.hasRole(account, "admin")
          ? yield* sql`SELECT 1 FROM accounts WHERE 'admin' = ANY(roles) AND user_id <> ${account.id} LIMIT 1`
          : [{}]
        return {
          account,
          isLastAdmin: otherAdmins.length === 0,
          apps: owned.map((row) => ({ app: toApp(row), people: row.people }))
        }
      })

    const close = (
      { account: { email, id }, apps }: AccountDeletion.State,
      { lookAt, receipt, requestedAt }: AccountDeletion.Going
    ) =>
      Effect.gen(function* () {
        const at = Rows.at(requestedAt)
        const appIds = apps.map(({ app }) => app.id)
        const entirely = apps.flatMap(({ app }) => (AccountDeletion.goesEntirely(app) ? [app.id] : []))
        yield* sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
                   VALUES (${NOBODY.id}, ${NOBODY.email}, ${NOBODY.displayName}, '', '{}', ${Rows.at(NOBODY.createdAt)})
                   ON CONFLICT DO NOTHING`
        yield* sql`UPDATE apps SET owner_id = ${NOBODY.id}, client_secrets = '[]', redirect_uris = '{}',
                     revoked_at = coalesce(revoked_at, ${at}),
                     review_note = CASE WHEN revoked_at IS NULL THEN ${AccountDeletion.REVOKED_NOTE} ELSE review_note END,
                     submitted_at = NULL, submitted_revision = NULL, proposal = NULL
                   WHERE owner_id = ${id}`
        yield* sql`DELETE FROM endpoints WHERE app_id = ANY(${appIds}::text[])`
        yield* sql`DELETE FROM sign_in_tries WHERE email = ${email}`
        // Of a person's rows the connections are locked first, as everybody does who writes them: archiving a place goes on to devices.
        yield* sql`WITH live AS (
                     SELECT connection_id FROM connections WHERE user_id = ${id} AND ended_at IS NULL
                     ORDER BY connection_id FOR UPDATE)
                   UPDATE connections c SET ended_at = ${at}, end_reason = 'user_disconnected'
                   FROM live WHERE c.user_id = ${id} AND c.connection_id = live.connection_id`
        yield* sql`UPDATE devices SET removed_at = ${at} WHERE user_id = ${id} AND removed_at IS NULL`
        yield* sql`UPDATE events SET fanned_out_at = ${at} WHERE user_id = ${id} AND fanned_out_at IS NULL`
        yield* MailOutbox.queue(sql, receipt, requestedAt)
        yield* sql`INSERT INTO account_deletions (user_id, requested_at, look_at, app_ids)
                   VALUES (${id}, ${at}, ${Rows.at(lookAt)}, ${entirely})`
        // Sessions go with it.
        yield* sql`DELETE FROM accounts WHERE user_id = ${id}`
      })

    return AccountDeletionStore.of({
      describe: (userId) =>
        sql`SELECT ${accountColumns} FROM accounts WHERE user_id = ${userId}`.pipe(
          Rows.first(AccountRow),
          Effect.flatMap(Effect.transposeMapOption((row) => stateOf(toAccount(row)))),
          orStoreError
        ),

      begin: (userId, decide) =>
        Effect.gen(function* () {
          const row = yield* sql`SELECT ${accountColumns} FROM accounts WHERE user_id = ${userId} FOR UPDATE`.pipe(
            Rows.first(AccountRow)
          )
          if (Option.isNone(row)) return Option.none()
          const account = toAccount(row.value)
          // Two admins who go at once: the second one sees that the first has gone.
          if (Account.hasRole(account, "admin")) {
            yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('an admin goes', 0))`
          }
          const state = yield* stateOf(account)
          const decided = decide(state, yield* Timestamp.now)
          if (Either.isRight(decided)) yield* close(state, decided.right)
          return Option.some(decided)
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError),

      claimDue: (limit, now, leaseUntil) =>
        sql`UPDATE account_deletions SET look_at = ${Rows.at(leaseUntil)} WHERE user_id IN (
              SELECT user_id FROM account_deletions WHERE look_at <= ${Rows.at(now)}
              ORDER BY look_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
            RETURNING user_id, requested_at`.pipe(
          Rows.all(LeftoverRow),
          Effect.map((rows) => rows.map((row) => ({ userId: row.user_id, requestedAt: row.requested_at }))),
          orStoreError
        ),

      removeSome: (userId, now, limit) => Leftovers.remove(sql, userId, now, limit).pipe(orStoreError),

      lookAgain: (userId, at) =>
        sql`UPDATE account_deletions SET look_at = ${Rows.at(at)} WHERE user_id = ${userId}`.pipe(
          Effect.asVoid,
          orStoreError
        ),

      finish: (userId) =>
        Effect.zipRight(
          sql`DELETE FROM mail_outbox
              WHERE user_id = ${NOBODY.id} AND dedupe_key = ${AccountDeletion.receiptKey(userId)}`,
          sql`DELETE FROM account_deletions WHERE user_id = ${userId}`
        ).pipe(sql.withTransaction, Effect.asVoid, orStoreError)
    })
  })
)
