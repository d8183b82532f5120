import { SqlClient } from "@effect/sql/SqlClient"
import { type Retention, RetentionStore } from "@place-access/domain/housekeeping"
import type { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

interface Table {
  readonly table: string
  readonly key: string
  readonly moment: string
  /** What else must be so, of a row of `t`. */
  readonly only?: string
}

/** Each has an index on the moment. */
const TABLES: Readonly<Record<Retention.Kind, Table>> = {
  access_tokens: { table: "access_tokens", key: "user_id, token_hash", moment: "issued_at" },
  refresh_tokens: { table: "refresh_tokens", key: "user_id, token_hash", moment: "revoked_at" },
  authorization_codes: { table: "authorization_codes", key: "user_id, code_hash", moment: "dead_at" },
  consent_requests: { table: "consent_requests", key: "request_id", moment: "created_at" },
  sessions: { table: "sessions", key: "session_hash", moment: "expires_at" },
  sign_in_tries: { table: "sign_in_tries", key: "try_id", moment: "tried_at" },
  rate_windows: { table: "rate_windows", key: "subject", moment: "ends_at" },
  budgets: { table: "budgets", key: "user_id, connection_id, budget", moment: "last_at" },
  idempotent_answers: { table: "idempotent_answers", key: "user_id, subject, key_hash", moment: "created_at" },
  delivered_deliveries: {
    table: "deliveries",
    key: "app_id, delivery_id",
    moment: "ended_at",
    // A program from before 0025 marks nothing: its replay is how what it was made from is known as replayed.
    only: `t.state = 'delivered' AND (t.replay_no = 0 OR NOT EXISTS (
      SELECT 1 FROM deliveries d WHERE d.app_id = t.app_id AND d.event_id = t.event_id
        AND d.endpoint_id = t.endpoint_id AND d.replay_no < t.replay_no AND NOT d.is_replayed))`
  },
  failed_deliveries: {
    table: "deliveries",
    key: "app_id, delivery_id",
    moment: "ended_at",
    only: "t.state IN ('failed', 'too_old')"
  },
  events: {
    table: "events",
    key: "user_id, event_id",
    moment: "fanned_out_at",
    only: "NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.app_id = t.app_id AND d.event_id = t.event_id)"
  },
  mail: { table: "mail_outbox", key: "user_id, dedupe_key", moment: "created_at" },
  named_mail: { table: "named_mail", key: "user_id", moment: "last_at" }
}

export const layer: Layer.Layer<RetentionStore, never, SqlClient> = Layer.effect(
  RetentionStore,
  Effect.map(SqlClient, (sql) => {
    const oldest = ({ key, moment, only = "true", table }: Table, until: Timestamp.Timestamp, limit: number) =>
      sql`SELECT ${sql.literal(key)} FROM ${sql(table)} t WHERE ${sql(moment)} <= ${Rows.at(until)} AND ${sql.literal(only)}
          ORDER BY ${sql(moment)} LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED`

    return RetentionStore.of({
      remove: (kind, until, limit) => {
        const from = TABLES[kind]
        const [table, columns] = [sql(from.table), sql.literal(from.key)]
        // Attempts have no life of their own.
        const more =
          from.table === "deliveries"
            ? sql`, attempts AS (DELETE FROM delivery_attempts WHERE (${columns}) IN (SELECT ${columns} FROM old))`
            : sql``
        // A CTE, which is evaluated once: a sub-query may be asked again for each row, and then its limit is none.
        const gone = sql`WITH old AS MATERIALIZED (${oldest(from, until, limit)}) ${more}
                         DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM old)`
        return Rows.affected(gone).pipe(orStoreError)
      }
    })
  })
)
