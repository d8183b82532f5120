import type { SqlClient } from "@effect/sql/SqlClient"
import type { AccountStore } from "@place-access/domain/accounts"
import type { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { AccountRow, COLUMNS_OF_A, toAccount } from "./AccountRow.js"
import { shareCredentials } from "./credentialLock.js"
import { SWEPT_AT_ONCE, swept } from "./swept.js"

/** The methods of `AccountStore` for sessions. */

type Store = typeof AccountStore.Service

export const open =
  (sql: SqlClient): Store["openSession"] =>
  (session) =>
    Effect.zipRight(
      shareCredentials(sql),
      sql`INSERT INTO sessions (session_hash, user_id, password_version, created_at, expires_at)
          VALUES (${session.hash}, ${session.userId}, ${session.passwordVersion}, ${Rows.at(session.createdAt)},
            ${Rows.at(session.expiresAt)})`
    ).pipe(sql.withTransaction, Effect.zipRight(swept("sessions", sweep(sql, session.createdAt))), orStoreError)

const sweep = (sql: SqlClient, now: Timestamp.Timestamp) =>
  Effect.zipRight(
    shareCredentials(sql),
    sql`DELETE FROM sessions WHERE session_hash IN (
          SELECT session_hash FROM sessions WHERE expires_at <= ${Rows.at(now)}
          ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`
  ).pipe(sql.withTransaction)

/** The account of a session: every page reads it, so the statement shares connections (`reads`). */
export const find =
  (sql: SqlClient): Store["findSession"] =>
  (hash, now) =>
    reads(sql)`SELECT ${COLUMNS_OF_A} FROM sessions s JOIN accounts a ON a.user_id = s.user_id
               WHERE s.session_hash = ${hash} AND s.expires_at > ${Rows.at(now)}
                 AND coalesce(s.password_version, a.password_version) = a.password_version`.pipe(
      Rows.first(AccountRow),
      Effect.map(Option.map(toAccount)),
      orStoreError
    )

export const close =
  (sql: SqlClient): Store["closeSession"] =>
  (hash) =>
    sql`DELETE FROM sessions WHERE session_hash = ${hash}`.pipe(Effect.asVoid, orStoreError)
