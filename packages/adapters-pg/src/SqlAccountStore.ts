import { SqlClient } from "@effect/sql/SqlClient"
import { Account, AccountStore, SignInThrottle } from "@place-access/domain/accounts"
import { Conflict, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { AccountRow, toAccount } from "./AccountRow.js"
import { reads } from "./client/Client.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const CredentialsRow = Schema.Struct({ ...AccountRow.fields, password_hash: Schema.String })

const TryRow = Schema.Struct({
  of_account: Schema.Boolean,
  of_address: Schema.Boolean,
  tried_at: Rows.At,
  failed: Schema.Boolean
})

const toCounted = (row: typeof TryRow.Type): SignInThrottle.CountedTry => ({ at: row.tried_at, failed: row.failed })

/** Rows that time has made useless go a few at a time, with each new one: the tables stay small without a job for it. */
const SWEPT_AT_ONCE = 10

export const layer: Layer.Layer<AccountStore, never, SqlClient> = Layer.effect(
  AccountStore,
  Effect.map(SqlClient, (sql) => {
    /**
     * Locked until the transaction ends. An e-mail has a lock before and without an account. Everybody takes the e-mail's
     * first: no two can wait for each other.
     */
    const lockTries = ({ email, address }: SignInThrottle.SignInTry) =>
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-in e-mail ${email}`}, 0)),
                 pg_advisory_xact_lock(hashtextextended(${`sign-in address ${address}`}, 0))`

    const recentTries = ({ email, address }: SignInThrottle.SignInTry, now: Timestamp.Timestamp) =>
      sql`SELECT email = ${email} AND NOT forgotten AS of_account, address = ${address} AS of_address, tried_at, failed
          FROM sign_in_tries
          WHERE (email = ${email} OR address = ${address})
            AND tried_at > ${Rows.at(Timestamp.plus(now, -SignInThrottle.WINDOW))}
          ORDER BY tried_at, try_id`.pipe(
        Rows.all(TryRow),
        Effect.map((rows) => ({
          ofAccount: rows.filter((row) => row.of_account).map(toCounted),
          ofAddress: rows.filter((row) => row.of_address).map(toCounted)
        }))
      )

    // Skips what others hold, so that it waits for nobody and nobody can wait for it in a circle.
    const sweepTries = (now: Timestamp.Timestamp) =>
      sql`DELETE FROM sign_in_tries WHERE try_id IN (
            SELECT try_id FROM sign_in_tries
            WHERE tried_at <= ${Rows.at(Timestamp.plus(now, -SignInThrottle.WINDOW))}
            ORDER BY tried_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`

    const sweepSessions = (now: Timestamp.Timestamp) =>
      sql`DELETE FROM sessions WHERE session_hash IN (
            SELECT session_hash FROM sessions WHERE expires_at <= ${Rows.at(now)}
            ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`

    return AccountStore.of({
      create: (account, passwordHash, keep) =>
        Effect.gen(function* () {
          const inserted = yield* Rows.affected(
            sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
                VALUES (${account.id}, ${account.email}, ${account.displayName}, ${passwordHash}, ${account.roles},
                        ${Rows.at(account.createdAt)})
                ON CONFLICT (email) DO NOTHING`
          )
          if (inserted === 0) return yield* new Conflict({ reason: Account.EMAIL_TAKEN })
          if (keep === undefined) return
          yield* sql`INSERT INTO history_choices (user_id, keep_days, chosen_at)
                     VALUES (${account.id}, ${keep}, ${Rows.at(account.createdAt)})`
        }).pipe(sql.withTransaction, orStoreError),

      find: (id) =>
        sql`SELECT user_id, email, display_name, roles, created_at FROM accounts WHERE user_id = ${id}`.pipe(
          Rows.first(AccountRow),
          Effect.map(Option.map(toAccount)),
          orStoreError
        ),

      findByEmail: (email) =>
        sql`SELECT user_id, email, display_name, roles, created_at, password_hash FROM accounts
            WHERE email = ${email}`.pipe(
          Rows.first(CredentialsRow),
          Effect.map(Option.map((row) => ({ account: toAccount(row), passwordHash: row.password_hash }))),
          orStoreError
        ),

      addRoles: (id, roles) =>
        Effect.gen(function* () {
          const before = yield* sql`SELECT user_id, email, display_name, roles, created_at FROM accounts
                                    WHERE user_id = ${id} FOR UPDATE`.pipe(Rows.first(AccountRow))
          if (Option.isNone(before)) return Option.none()
          const present = toAccount(before.value)
          const after = Account.withRoles(present, roles)
          if (after.roles.length > present.roles.length) {
            yield* sql`UPDATE accounts SET roles = ${after.roles} WHERE user_id = ${id}`
          }
          return Option.some(after)
        }).pipe(sql.withTransaction, orStoreError),

      openSession: (session) =>
        sql`INSERT INTO sessions (session_hash, user_id, created_at, expires_at)
            VALUES (${session.hash}, ${session.userId}, ${Rows.at(session.createdAt)}, ${Rows.at(session.expiresAt)})`.pipe(
          Effect.zipRight(sweepSessions(session.createdAt)),
          sql.withTransaction,
          Effect.asVoid,
          orStoreError
        ),

      findSession: (hash, now) =>
        reads(sql)`SELECT a.user_id, a.email, a.display_name, a.roles, a.created_at
            FROM sessions s JOIN accounts a ON a.user_id = s.user_id
            WHERE s.session_hash = ${hash} AND s.expires_at > ${Rows.at(now)}`.pipe(
          Rows.first(AccountRow),
          Effect.map(Option.map(toAccount)),
          orStoreError
        ),

      closeSession: (hash) => sql`DELETE FROM sessions WHERE session_hash = ${hash}`.pipe(Effect.asVoid, orStoreError),

      admitTry: (tried, decide) =>
        Effect.gen(function* () {
          yield* lockTries(tried)
          const now = yield* Timestamp.now
          const verdict = decide(yield* recentTries(tried, now), now)
          if (verdict._tag === "Admitted") {
            yield* sql`INSERT INTO sign_in_tries (try_id, email, address, tried_at, failed, forgotten)
                       VALUES (${tried.id}, ${tried.email}, ${tried.address}, ${Rows.at(now)}, false, false)`
            yield* sweepTries(now)
          }
          return verdict
        }).pipe(sql.withTransaction, orStoreError),

      failTry: (id) =>
        sql`UPDATE sign_in_tries SET failed = true WHERE try_id = ${id}`.pipe(Effect.asVoid, orStoreError),

      clearTries: (tried) =>
        Effect.gen(function* () {
          yield* sql`DELETE FROM sign_in_tries WHERE try_id = ${tried.id}`
          yield* sql`UPDATE sign_in_tries SET forgotten = true WHERE email = ${tried.email} AND failed AND NOT forgotten`
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
