import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { WebhookEndpoint } from "@place-access/domain/endpoints"
import type { AppId } from "@place-access/domain/shared"
import { Effect, Predicate } from "effect"
import { together } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { storedExchange } from "./DeliveryRow.js"
import { type FinishedDelivery, writing } from "./finishStatement.js"
import { waits } from "./transitions.js"

const WAITS = waits("d.state")

/**
 * Finishes deliveries of one app in one transaction on the app's shard, and returns the rows that still had their
 * lease. An INSERT inside WITH would make Citus send the rows from node to node, so attempts and warnings are inserted
 * by separate statements. The first statement locks the deliveries, so the later statements see the same leases.
 */
export const finishOnCluster = (
  sql: SqlClient,
  appId: AppId,
  finished: ReadonlyArray<FinishedDelivery>
): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
  Effect.gen(function* () {
    const answers = yield* together([
      locking(sql, appId, finished),
      logging(sql, appId, finished),
      writing(sql, appId, finished, true)
    ])
    const rows: ReadonlyArray<unknown> = answers[2] ?? []
    for (const row of rows) {
      if (!isStrike(row) || !WebhookEndpoint.WARNED_STRIKES.includes(row.strikes)) continue
      const at = Rows.at(finished[0]?.now ?? 0)
      yield* sql`INSERT INTO strike_warnings (app_id, delivery_id, endpoint_id, strikes, warned_at)
          VALUES (${appId}, ${row.delivery_id}, ${row.endpoint_id}, ${row.strikes}, ${at})`
    }
    return rows
  }).pipe(sql.withTransaction)

const isStrike = (
  row: unknown
): row is { readonly delivery_id: string; readonly endpoint_id: string; readonly strikes: number } =>
  Predicate.hasProperty(row, "strikes") && typeof row.strikes === "number"

const locking = (sql: SqlClient, appId: AppId, finished: ReadonlyArray<FinishedDelivery>) =>
  sql`SELECT 1 FROM deliveries
      WHERE app_id = ${appId} AND delivery_id = ANY(${finished.map(({ held }) => held.id)}::text[])
      ORDER BY delivery_id FOR UPDATE`

/**
 * Logs the attempts of deliveries that still have their lease. It selects from `deliveries` and not only from
 * parameters, so that Citus runs the whole statement on one shard.
 */
const logging = (sql: SqlClient, appId: AppId, finished: ReadonlyArray<FinishedDelivery>) => {
  const logged = finished.flatMap(({ attempt, held }) => (attempt === null ? [] : [{ ...attempt, ...held }]))
  return sql`INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet,
                                     exchange)
      SELECT d.app_id, d.delivery_id, a.attempt, a.started_at, a.ended_at, a.status, a.error, a.snippet, a.exchange
      FROM (SELECT * FROM unnest(
          ${logged.map(({ id }) => id)}::text[],
          ${logged.map(({ lease }) => lease)}::text[],
          ${logged.map(({ attempt }) => attempt)}::integer[],
          ${logged.map(({ startedAt }) => Rows.at(startedAt))}::timestamptz[],
          ${logged.map(({ endedAt }) => Rows.at(endedAt))}::timestamptz[],
          ${logged.map(({ status }) => status)}::integer[],
          ${logged.map(({ error }) => Rows.storable(error))}::text[],
          ${logged.map(({ snippet }) => Rows.storable(snippet))}::text[],
          ${logged.map(storedExchange)}::jsonb[]
        ) AS a (delivery_id, lease, attempt, started_at, ended_at, status, error, snippet, exchange)
        WHERE lease = lease || '') AS a
      JOIN deliveries d ON d.delivery_id = a.delivery_id AND d.lease = a.lease
      WHERE d.app_id = ${appId} AND ${sql.literal(WAITS)}`
}
