import type { SqlClient } from "@effect/sql/SqlClient"
import { type AccountStore, Session } from "@place-access/domain/accounts"
import { type Timestamp, Vault } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { isForeignKeyViolation, orStoreError } from "../Failures.js"
import { isDistributed } from "../schema/isDistributed.js"
import { AccountRow, COLUMNS_OF_A, toAccount } from "./AccountRow.js"
import { shareCredentials } from "./credentialLock.js"
import { SWEPT_AT_ONCE, swept } from "./swept.js"

/** The methods of `AccountStore` for sessions. */

type Store = typeof AccountStore.Service

export const open = (sql: SqlClient): Store["openSession"] => {
  const onCluster = isDistributed(sql)
  const sweepAt = sweep(sql)
  const closeOthersOf = closeLeastUsed(sql)
  return (session, audit) =>
    Effect.gen(function* () {
      if (yield* onCluster) yield* shareCredentials(sql)
      yield* sql`INSERT INTO sessions (session_hash, user_id, password_version, browser, address, created_at, seen_at,
                                       confirmed_at, expires_at)
                 VALUES (${session.hash}, ${session.userId}, ${session.passwordVersion}, ${session.browser},
                         ${session.address}, ${Rows.at(session.createdAt)}, ${Rows.at(session.seenAt)},
                         ${Rows.at(session.confirmedAt)}, ${Rows.at(session.expiresAt)})`
      if (audit !== undefined) yield* AuditLog.append(sql, audit)
    }).pipe(
      sql.withTransaction,
      Effect.catchIf(
        (error) => isForeignKeyViolation(error, "sessions_user_id_fkey"),
        () => Effect.void
      ),
      Effect.zipRight(swept("expired sessions", sweepAt(session.createdAt))),
      Effect.zipRight(swept("sessions beyond the limit of an account", closeOthersOf(session))),
      orStoreError
    )
}

const HashRow = Schema.Struct({ session_hash: Vault.Hash })

/**
 * Closes the account's other sessions beyond `Session.MOST`. The function first reads which sessions to close, because
 * nearly always there are none. It deletes them by their hashes, because on a cluster each node with a copy of the
 * table must delete the same sessions.
 */
const closeLeastUsed = (sql: SqlClient) => {
  const share = sharing(sql)
  return ({ hash, userId }: Session.Session) =>
    Effect.gen(function* () {
      const rest = yield* sql`SELECT session_hash FROM sessions WHERE user_id = ${userId} AND session_hash <> ${hash}
                              ORDER BY coalesce(seen_at, created_at) DESC, session_hash
                              OFFSET ${Session.MOST - 1}`.pipe(Rows.all(HashRow))
      const hashes = rest.map(({ session_hash: one }) => one)
      if (hashes.length > 0) yield* share(sql`DELETE FROM sessions WHERE session_hash = ANY(${hashes}::text[])`)
    })
}

const sweep = (sql: SqlClient) => {
  const share = sharing(sql)
  return (now: Timestamp.Timestamp) =>
    share(
      sql`DELETE FROM sessions WHERE session_hash IN (
            SELECT session_hash FROM sessions WHERE expires_at <= ${Rows.at(now)}
            ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`
    )
}

/**
 * Returns a function that runs a change of sessions. On a cluster, the change runs in a transaction that takes the lock
 * of `credentialLock.ts` in shared mode, because a write to `sessions` locks the whole table there. On a single server,
 * the change needs no lock.
 */
const sharing = (sql: SqlClient) => {
  const onCluster = isDistributed(sql)
  return <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.flatMap(onCluster, (isCluster) =>
      isCluster ? sql.withTransaction(Effect.zipRight(shareCredentials(sql), change)) : change
    )
}

const SessionRow = Schema.Struct({
  session_hash: Vault.Hash,
  ...AccountRow.fields,
  session_version: Schema.Int,
  browser: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  opened_at: Rows.At,
  seen_at: Rows.At,
  session_confirmed_at: Rows.At,
  expires_at: Rows.At
})

const toSession = (row: typeof SessionRow.Type): Session.Session => ({
  hash: row.session_hash,
  userId: row.user_id,
  passwordVersion: row.session_version,
  browser: row.browser,
  address: row.address,
  createdAt: row.opened_at,
  seenAt: row.seen_at,
  confirmedAt: row.session_confirmed_at,
  expiresAt: row.expires_at
})

/**
 * Sessions that were opened before the columns `password_version`, `seen_at` and `confirmed_at` existed have null in
 * these columns. The account's present password version, or the sign-in time, takes the place of null.
 */
const COLUMNS = `s.session_hash, coalesce(s.password_version, a.password_version) AS session_version, s.browser,
  s.address, s.created_at AS opened_at, coalesce(s.seen_at, s.created_at) AS seen_at,
  coalesce(s.confirmed_at, s.created_at) AS session_confirmed_at, s.expires_at`
const HAS_PASSWORD = "coalesce(s.password_version, a.password_version) = a.password_version"
const COUNTS = `${HAS_PASSWORD} AND a.suspended_at IS NULL`

/**
 * Finds a session with its account. Every page of a signed-in person runs this statement, so it is sent with `reads`,
 * on connections that several requests share.
 */
export const find =
  (sql: SqlClient): Store["findSession"] =>
  (hash, now) =>
    reads(sql)`SELECT ${sql.literal(COLUMNS)}, ${COLUMNS_OF_A}
               FROM sessions s JOIN accounts a ON a.user_id = s.user_id
               WHERE s.session_hash = ${hash} AND s.expires_at > ${Rows.at(now)} AND ${sql.literal(COUNTS)}`.pipe(
      Rows.first(SessionRow),
      Effect.map(Option.map((row) => ({ account: toAccount(row), session: toSession(row) }))),
      orStoreError
    )

export const renew = (sql: SqlClient): Store["renewSession"] => {
  const share = sharing(sql)
  return ({ expiresAt, hash, seenAt }) =>
    share(
      sql`UPDATE sessions SET seen_at = ${Rows.at(seenAt)}, expires_at = ${Rows.at(expiresAt)}
          WHERE session_hash = ${hash}`
    ).pipe(Effect.asVoid, orStoreError)
}

/**
 * Returns false unless the session has the given password version. A session that was opened before the column
 * `password_version` existed has null in that column, and counts as having the given version.
 */
export const confirm = (sql: SqlClient): Store["confirmSession"] => {
  const share = sharing(sql)
  return ({ hash, passwordVersion }, confirmed) =>
    share(
      Rows.affected(
        sql`UPDATE sessions SET session_hash = ${confirmed.hash}, confirmed_at = ${Rows.at(confirmed.confirmedAt)}
            WHERE session_hash = ${hash} AND coalesce(password_version, ${passwordVersion}) = ${passwordVersion}`
      )
    ).pipe(
      Effect.map((count) => count > 0),
      orStoreError
    )
}

export const list =
  (sql: SqlClient): Store["listSessions"] =>
  (id, now) =>
    sql`SELECT ${sql.literal(COLUMNS)}, ${COLUMNS_OF_A} FROM sessions s JOIN accounts a ON a.user_id = s.user_id
        WHERE s.user_id = ${id} AND s.expires_at > ${Rows.at(now)} AND ${sql.literal(HAS_PASSWORD)}
        ORDER BY coalesce(s.seen_at, s.created_at) DESC, s.session_hash`.pipe(
      Rows.all(SessionRow),
      Effect.map((rows) => rows.map(toSession)),
      orStoreError
    )

export const close = (sql: SqlClient): Store["closeSession"] => {
  const share = sharing(sql)
  return (hash) => share(sql`DELETE FROM sessions WHERE session_hash = ${hash}`).pipe(Effect.asVoid, orStoreError)
}

const ClosedRow = Schema.Struct({ is_live: Schema.Boolean })

export const closeOthers = (sql: SqlClient): Store["closeOtherSessions"] => {
  const share = sharing(sql)
  return (id, kept, now, audit) =>
    share(
      sql`DELETE FROM sessions s USING accounts a
          WHERE s.user_id = ${id} AND a.user_id = ${id} AND s.session_hash IS DISTINCT FROM ${kept}
          RETURNING s.expires_at > ${Rows.at(now)} AND ${sql.literal(HAS_PASSWORD)} AS is_live`.pipe(
        Rows.all(ClosedRow),
        Effect.map((closed) => closed.filter(({ is_live }) => is_live).length),
        Effect.tap((count) => (audit === undefined ? Effect.void : AuditLog.append(sql, audit(count)))),
        sql.withTransaction
      )
    ).pipe(orStoreError)
}
