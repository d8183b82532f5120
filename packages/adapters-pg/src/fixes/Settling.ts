import type { SqlClient } from "@effect/sql/SqlClient"
import type { FixStore } from "@place-access/domain/fixes"
import { UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import * as Buckets from "../leases/Buckets.js"
import { concluded, insertsOf } from "./uploadOnCluster.js"
import { raiseVersion } from "./UploadStatement.js"

type Store = typeof FixStore.Service

const DueRow = Schema.Struct({ user_id: UserId })

/**
 * Implements `FixStore.settling`. The index on `settle_due_at` contains only the states of rules that wait to fire, so
 * the search is short.
 */
export const due =
  (sql: SqlClient): Store["settling"] =>
  (buckets, now, limit) =>
    sql`SELECT user_id FROM rule_states WHERE settle_due_at <= ${Rows.at(now)} ${Buckets.andOf(sql, buckets)}
        GROUP BY user_id ORDER BY min(settle_due_at), user_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(DueRow),
      Effect.map((rows) => rows.map(({ user_id }) => user_id)),
      orStoreError
    )

/**
 * Implements `FixStore.commitSettled` with separate statements for each table, as a cluster needs (`uploadOnCluster`).
 * A single server runs the same statements: few users have a rule that waits to fire, so a faster variant would gain
 * little.
 */
export const commit =
  (sql: SqlClient): Store["commitSettled"] =>
  ({ events, now, states, userId, version }) =>
    Effect.gen(function* () {
      const moved = yield* raiseVersion(sql, { userId, version })
      if (moved.length === 0) return false
      yield* sql`UPDATE rule_states SET unsettled_at = NULL, unsettled_until = NULL, settle_due_at = NULL
                 WHERE user_id = ${userId} AND settle_due_at <= ${Rows.at(now)}`
      const added = concluded(sql, userId, states, [{ events, receivedAt: now }])
      for (const insert of added.flatMap((one) => insertsOf(sql, one))) yield* insert
      return true
    }).pipe(sql.withTransaction, orStoreError)
