import { SqlClient } from "@effect/sql/SqlClient"
import { type Retention, RetentionStore } from "@place-access/domain/housekeeping"
import { Effect, Layer } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

/** Each has an index on the moment. */
const TABLES: Readonly<Record<Retention.Kind, { readonly key: string; readonly moment: string }>> = {
  access_tokens: { key: "user_id, token_hash", moment: "issued_at" },
  refresh_tokens: { key: "user_id, token_hash", moment: "revoked_at" },
  authorization_codes: { key: "user_id, code_hash", moment: "dead_at" },
  consent_requests: { key: "request_id", moment: "created_at" },
  sessions: { key: "session_hash", moment: "expires_at" },
  sign_in_tries: { key: "try_id", moment: "tried_at" }
}

export const layer: Layer.Layer<RetentionStore, never, SqlClient> = Layer.effect(
  RetentionStore,
  Effect.map(SqlClient, (sql) =>
    RetentionStore.of({
      remove: (kind, until, limit) => {
        const { key, moment } = TABLES[kind]
        const [table, columns, by] = [sql(kind), sql.literal(key), sql(moment)]
        return Rows.affected(
          sql`DELETE FROM ${table} WHERE (${columns}) IN (
                SELECT ${columns} FROM ${table} WHERE ${by} <= ${Rows.at(until)}
                ORDER BY ${by} LIMIT ${limit} FOR UPDATE SKIP LOCKED)`
        ).pipe(orStoreError)
      }
    })
  )
)
