import { SqlClient } from "@effect/sql/SqlClient"
import { ConnectionId, Timestamp, UserId } from "@place-access/domain/shared"
import { type Dated, type Due, SensitiveNotice, type Sweep, TierStore } from "@place-access/domain/tiers"
import { Effect, Layer, Option, Schema } from "effect"
import { columns, toWithApp, WithAppRow } from "./ConnectionRow.js"
import * as ConnectionWrites from "./ConnectionWrites.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const DueRow = Schema.Struct({ user_id: UserId, connection_id: ConnectionId })

const LookedAtRow = Schema.Struct({ ...WithAppRow.fields, look_at: Rows.At })

const NoticeRow = Schema.Struct({ sensitive_expires_at: Rows.At, kind: SensitiveNotice.Kind })

export const layer: Layer.Layer<TierStore, never, SqlClient> = Layer.effect(
  TierStore,
  Effect.map(SqlClient, (sql) => {
    const select = columns(sql)
    const writes = ConnectionWrites.make(sql)

    const toDue = (row: typeof DueRow.Type): Due => ({ userId: row.user_id, id: row.connection_id })
    const isDue = (now: Timestamp.Timestamp) =>
      sql`ended_at IS NULL AND look_at <= ${Rows.at(now)}
          AND (look_leased_until IS NULL OR look_leased_until <= ${Rows.at(now)})`

    return TierStore.of({
      listDue: (limit, now) =>
        sql`SELECT user_id, connection_id FROM connections WHERE ${isDue(now)}
            ORDER BY look_at, connection_id COLLATE "C" LIMIT ${limit}`.pipe(
          Rows.all(DueRow),
          Effect.map((rows) => rows.map(toDue)),
          orStoreError
        ),

      claimDue: (limit, now, leaseUntil) =>
        sql`WITH due AS (
              SELECT user_id, connection_id FROM connections
              WHERE ${isDue(now)}
              ORDER BY look_at, connection_id COLLATE "C" LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ), claimed AS (
              UPDATE connections c SET look_leased_until = ${Rows.at(leaseUntil)} FROM due d
              WHERE c.user_id = d.user_id AND c.connection_id = d.connection_id
              RETURNING c.user_id, c.connection_id, c.look_at
            )
            SELECT user_id, connection_id FROM claimed ORDER BY look_at, connection_id COLLATE "C"`.pipe(
          Rows.all(DueRow),
          Effect.map((rows) => rows.map(toDue)),
          orStoreError
        ),

      sweep: <A>({ id, userId }: Due, decide: (state: Dated, now: Timestamp.Timestamp) => Sweep<A>) =>
        Effect.gen(function* () {
          yield* sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND connection_id = ${id} FOR UPDATE`
          const now = yield* Timestamp.now
          const found =
            yield* sql`SELECT ${select.withApp}, c.look_at FROM connections c JOIN apps a ON a.app_id = c.app_id
                                   WHERE c.user_id = ${userId} AND c.connection_id = ${id}
                                     AND c.ended_at IS NULL AND c.look_at IS NOT NULL`.pipe(Rows.first(LookedAtRow))
          if (Option.isNone(found)) return Option.none<A>()
          const notices = yield* sql`SELECT sensitive_expires_at, kind FROM tier_notices
                                     WHERE user_id = ${userId} AND connection_id = ${id}`.pipe(Rows.all(NoticeRow))
          const before = toWithApp(found.value)
          const { outcome, told, ...decided } = decide(
            {
              ...before,
              from: found.value.look_at,
              told: notices.map((row) => ({ expiresAt: row.sensitive_expires_at, kind: row.kind }))
            },
            now
          )
          yield* writes.all(before.connection, decided.writes, now)
          for (const { expiresAt, kind } of told) {
            yield* sql`INSERT INTO tier_notices (user_id, connection_id, sensitive_expires_at, kind, told_at)
                       VALUES (${userId}, ${id}, ${Rows.at(expiresAt)}, ${kind}, ${Rows.at(now)})`
          }
          return Option.some(outcome)
        }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
    })
  })
)
