import { SqlClient } from "@effect/sql/SqlClient"
import { ConnectionId, Timestamp, UserId } from "@place-access/domain/shared"
import { type Dated, type ConnectionKey, TierStore } from "@place-access/domain/sweeps"
import { SensitiveNotice } from "@place-access/domain/tiers"
import { Effect, Layer, Option, Schema } from "effect"
import { columns, type ConnectionColumns, toWithApp, WithAppRow } from "../connection/ConnectionRow.js"
import * as ConnectionWrites from "../connection/ConnectionWrites.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"

type Store = typeof TierStore.Service

export const layer: Layer.Layer<TierStore, never, SqlClient> = Layer.effect(
  TierStore,
  Effect.map(SqlClient, (sql) =>
    TierStore.of({
      due: due(sql),
      sweep: sweep(sql)
    })
  )
)

const DueRow = Schema.Struct({ user_id: UserId, connection_id: ConnectionId, look_at: Rows.At })

const due =
  (sql: SqlClient): Store["due"] =>
  ({ after, buckets, limit, now }) => {
    const rest =
      after === undefined
        ? sql``
        : sql`AND (look_at, connection_id COLLATE "C") > (${Rows.at(after.dueAt)}::timestamptz, ${after.id})`
    return sql`SELECT user_id, connection_id, look_at FROM connections
               WHERE ended_at IS NULL AND look_at <= ${Rows.at(now)} ${Buckets.andOf(sql, buckets)} ${rest}
               ORDER BY look_at, connection_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(DueRow),
      Effect.map((rows) => rows.map((row) => ({ userId: row.user_id, id: row.connection_id, dueAt: row.look_at }))),
      orStoreError
    )
  }

const sweep = (sql: SqlClient): Store["sweep"] => {
  const select = columns(sql)
  const writes = ConnectionWrites.make(sql)
  return (connection, decide) =>
    Effect.gen(function* () {
      yield* lock(sql, connection)
      const now = yield* Timestamp.now
      const state = yield* read(sql, select, connection)
      if (Option.isNone(state)) return Option.none()
      const { notices, outcome, writes: list } = decide(state.value, now)
      yield* writes.all(state.value.connection, list, now)
      for (const notice of notices) yield* insertNotice(sql, connection, notice, now)
      return Option.some(outcome)
    }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
}

const lock = (sql: SqlClient, { id, userId }: ConnectionKey) =>
  sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND connection_id = ${id} FOR UPDATE`

const LookedAtRow = Schema.Struct({ ...WithAppRow.fields, look_at: Rows.At })

/**
 * Reads a connection that is due for the tier sweep. The statements run after the lock, so that they see what earlier
 * transactions committed. Returns none when the connection does not exist any more, has ended, or has no next check any
 * more.
 */
const read = (sql: SqlClient, select: ConnectionColumns, due: ConnectionKey) =>
  Effect.gen(function* () {
    const { id, userId } = due
    const found = yield* sql`SELECT ${select.withApp(userId)}, c.look_at
                             FROM connections c JOIN apps a ON a.app_id = c.app_id
                             WHERE c.user_id = ${userId} AND c.connection_id = ${id}
                               AND c.ended_at IS NULL AND c.look_at IS NOT NULL`.pipe(Rows.first(LookedAtRow))
    if (Option.isNone(found)) return Option.none()
    const state: Dated = { ...toWithApp(found.value), from: found.value.look_at, notices: yield* readNotices(sql, due) }
    return Option.some(state)
  })

const NoticeRow = Schema.Struct({ sensitive_expires_at: Rows.At, kind: SensitiveNotice.SensitiveNoticeKind })

const readNotices = (sql: SqlClient, { id, userId }: ConnectionKey) =>
  sql`SELECT sensitive_expires_at, kind FROM tier_notices
      WHERE user_id = ${userId} AND connection_id = ${id}`.pipe(
    Rows.all(NoticeRow),
    Effect.map((rows) => rows.map((row) => ({ expiresAt: row.sensitive_expires_at, kind: row.kind })))
  )

const insertNotice = (
  sql: SqlClient,
  { id, userId }: ConnectionKey,
  { expiresAt, kind }: SensitiveNotice.SensitiveNotice,
  now: Timestamp.Timestamp
) =>
  sql`INSERT INTO tier_notices (user_id, connection_id, sensitive_expires_at, kind, told_at)
      VALUES (${userId}, ${id}, ${Rows.at(expiresAt)}, ${kind}, ${Rows.at(now)})`
