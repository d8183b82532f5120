import { SqlClient } from "@effect/sql/SqlClient"
import { LimitStore } from "@place-access/domain/limits"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const BudgetRow = Schema.Struct({ calls: Schema.Array(Rows.At) })

export const layer: Layer.Layer<LimitStore, never, SqlClient> = Layer.effect(
  LimitStore,
  Effect.map(SqlClient, (sql) =>
    LimitStore.of({
      spend: ({ connectionId, userId }, { name }, decide) =>
        Effect.gen(function* () {
          const mine = sql`user_id = ${userId} AND connection_id = ${connectionId} AND budget = ${name}`
          // Locks the row that is there, or the one that it makes: a sweep cannot take it away in between.
          const row = yield* sql`INSERT INTO budgets (user_id, connection_id, budget, calls, last_at)
                                 VALUES (${userId}, ${connectionId}, ${name}, '{}', '-infinity')
                                 ON CONFLICT (user_id, connection_id, budget) DO UPDATE SET last_at = budgets.last_at
                                 RETURNING calls`.pipe(Rows.first(BudgetRow))
          const calls = Option.match(row, { onNone: () => [], onSome: (found) => found.calls })
          const spending = decide(calls, yield* Timestamp.now)
          if (spending._tag === "Spent") {
            const last = Math.max(...spending.calls)
            yield* sql`UPDATE budgets SET calls = ${spending.calls.map(Rows.at)}::timestamptz[], last_at = ${Rows.at(last)}
                       WHERE ${mine}`
          }
          return spending
        }).pipe(sql.withTransaction, orStoreError)
    })
  )
)
