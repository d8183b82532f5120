import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { ClaimRequest } from "@place-access/domain/deliveries"
import { AppId, EndpointId, type Timestamp } from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { byDueTime, waits } from "./transitions.js"

/**
 * An endpoint with work for a claim. `is_ready`: a delivery is due, the endpoint is enabled, and it may have one more
 * delivery in flight. `is_vain`: of the waiting deliveries that are not in flight, the one with the earliest due time
 * can never be sent, because the endpoint was removed or has a newer epoch than the delivery. Both flags can be true
 * after the endpoint was disabled and enabled again.
 */
const Ready = Schema.Struct({
  app_id: AppId,
  endpoint_id: EndpointId,
  /** Null when the endpoint was removed. */
  epoch: Schema.NullOr(Schema.Int),
  is_ready: Schema.Boolean,
  is_vain: Schema.Boolean,
  /** The last attempt that this worker made at the endpoint failed or took long (`ClaimRequest.slow`). */
  is_slow: Schema.Boolean
})

export type EndpointWithWork = typeof Ready.Type

const WAITS = waits("d.state")
const BY_DUE_TIME = byDueTime("d")
const WAITS_HERE = waits("state")

/** Finds the endpoints with waiting deliveries, by one index look-up for each such endpoint. */
const waiting = (sql: SqlClient) =>
  sql`waiting AS (
        (SELECT app_id, endpoint_id FROM deliveries WHERE ${sql.literal(WAITS_HERE)}
         ORDER BY app_id, endpoint_id LIMIT 1)
        UNION ALL
        SELECT next.app_id, next.endpoint_id FROM waiting w CROSS JOIN LATERAL (
          SELECT d.app_id, d.endpoint_id FROM deliveries d
          WHERE ${sql.literal(WAITS)} AND (d.app_id, d.endpoint_id) > (w.app_id, w.endpoint_id)
          ORDER BY d.app_id, d.endpoint_id LIMIT 1
        ) next
      )`

/**
 * Selects, from the endpoints in `found`, the first `limit` endpoints of each of four kinds: `is_ready` or not, slow or
 * not.
 */
const firstOf = (sql: SqlClient, limit: number, slow: ClaimRequest["slow"]) =>
  sql`marked AS (
        SELECT *, endpoint_id = ANY(${slow?.ids ?? []}::text[]) AS is_slow FROM found WHERE is_ready OR is_vain
      ), ranked AS (
        SELECT *, row_number() OVER (PARTITION BY is_ready, is_slow ORDER BY under_way, due_at, delivery_id) AS place
        FROM marked
      )
      SELECT app_id, endpoint_id, epoch, is_ready, is_vain, is_slow FROM ranked
      WHERE place <= ${limit} ORDER BY place, is_ready, is_slow`

/**
 * Finds the endpoints with work, by a few index look-ups for each endpoint with waiting deliveries, whatever the length
 * of its backlog. Endpoints with the fewest deliveries in flight come first; among equals, the endpoint whose delivery
 * has been due longest. Endpoints that are not ready, but have a delivery that can never be sent (`is_vain`), are
 * ranked separately. So they take no place of `limit` from endpoints that are ready.
 */
export const findReady = (sql: SqlClient, { limit, now, perEndpoint, slow }: ClaimRequest) =>
  sql`WITH RECURSIVE ${waiting(sql)}, found AS (
        SELECT w.app_id, w.endpoint_id, e.epoch, busy.under_way, head.due_at, head.delivery_id,
          e.epoch IS NOT NULL AND e.disabled_at IS NULL AND head.due_at <= ${Rows.at(now)}
            AND busy.under_way < ${perEndpoint} AS is_ready,
          head.endpoint_epoch IS DISTINCT FROM e.epoch AS is_vain
        FROM waiting w
        LEFT JOIN endpoints e ON e.app_id = w.app_id AND e.endpoint_id = w.endpoint_id
        CROSS JOIN LATERAL (
          SELECT count(*) AS under_way FROM deliveries d
          WHERE d.app_id = w.app_id AND d.endpoint_id = w.endpoint_id AND d.leased_until > ${Rows.at(now)}
        ) busy
        CROSS JOIN LATERAL (
          SELECT d.due_at, d.endpoint_epoch, d.delivery_id COLLATE "C" AS delivery_id FROM deliveries d
          WHERE d.app_id = w.app_id AND d.endpoint_id = w.endpoint_id AND ${sql.literal(WAITS)}
            AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
          ORDER BY ${sql.literal(BY_DUE_TIME)} LIMIT 1
        ) head
      ), ${firstOf(sql, limit, slow)}`

/** Finds the endpoints with work on a single server. A claim that finds an empty queue sends only this statement. */
export const find = (
  sql: SqlClient,
  request: ClaimRequest
): Effect.Effect<ReadonlyArray<EndpointWithWork>, SqlError | ParseResult.ParseError> =>
  findReady(sql, request).pipe(Rows.all(Ready))

/**
 * Finds the endpoints with work, by a few index look-ups for each stored endpoint, whatever the length of its backlog.
 * The order is that of `findReady`.
 *
 * It starts from the endpoints and not from the waiting deliveries: a walk through the deliveries is a recursion, which
 * Citus cannot send to all shards.
 */
const findReadyOnCluster = (sql: SqlClient, { limit, now, perEndpoint, slow }: ClaimRequest) =>
  sql`WITH found AS (
        SELECT e.app_id, e.endpoint_id, e.epoch, busy.under_way, head.due_at, head.delivery_id,
          e.disabled_at IS NULL AND head.due_at <= ${Rows.at(now)} AND busy.under_way < ${perEndpoint} AS is_ready,
          head.endpoint_epoch <> e.epoch AS is_vain
        FROM endpoints e
        CROSS JOIN LATERAL (
          SELECT d.due_at, d.endpoint_epoch, d.delivery_id COLLATE "C" AS delivery_id FROM deliveries d
          WHERE d.app_id = e.app_id AND d.endpoint_id = e.endpoint_id AND ${sql.literal(WAITS)}
            AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
          ORDER BY ${sql.literal(BY_DUE_TIME)} LIMIT 1
        ) head
        CROSS JOIN LATERAL (
          SELECT count(*) AS under_way FROM deliveries d
          WHERE d.app_id = e.app_id AND d.endpoint_id = e.endpoint_id AND d.leased_until > ${Rows.at(now)}
        ) busy
      ), ${firstOf(sql, limit, slow)}`

/**
 * Finds removed endpoints with waiting deliveries, of apps that have other endpoints. For each stored endpoint, one
 * index look-up finds the first waiting delivery of an endpoint with a greater id. When that id is smaller than the id
 * of the app's next stored endpoint, no endpoint with that id is stored: it was removed.
 */
const findGone = (sql: SqlClient, { limit }: ClaimRequest) =>
  sql`SELECT app_id, endpoint_id, NULL::integer AS epoch, false AS is_ready, true AS is_vain, false AS is_slow FROM (
        SELECT gap.app_id, gap.below, (
          SELECT d.endpoint_id FROM deliveries d
          WHERE d.app_id = gap.app_id AND ${sql.literal(WAITS)} AND d.endpoint_id > gap.above
          ORDER BY d.endpoint_id LIMIT 1) AS endpoint_id
        FROM (
          SELECT app_id, endpoint_id AS above,
            lead(endpoint_id) OVER (PARTITION BY app_id ORDER BY endpoint_id) AS below FROM endpoints
          UNION ALL
          SELECT app_id, '', min(endpoint_id) FROM endpoints GROUP BY app_id
        ) gap
      ) found
      WHERE endpoint_id IS NOT NULL AND (below IS NULL OR endpoint_id < below) LIMIT ${limit}`

/**
 * Finds removed endpoints with waiting deliveries, of apps that have no endpoint at all. It reads all waiting
 * deliveries, so a claim runs it only when no endpoint is ready.
 */
const findForsaken = (sql: SqlClient, { limit }: ClaimRequest) =>
  sql`SELECT DISTINCT d.app_id, d.endpoint_id, NULL::integer AS epoch, false AS is_ready, true AS is_vain,
        false AS is_slow
      FROM deliveries d
      WHERE ${sql.literal(WAITS)} AND NOT EXISTS (SELECT 1 FROM endpoints e WHERE e.app_id = d.app_id)
      LIMIT ${limit}`

/** Finds the endpoints with work on a cluster, with statements that Citus can send to all shards. */
export const findOnCluster = (
  sql: SqlClient,
  request: ClaimRequest
): Effect.Effect<ReadonlyArray<EndpointWithWork>, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    const found = yield* findReadyOnCluster(sql, request).pipe(Rows.all(Ready))
    const gone = yield* findGone(sql, request).pipe(Rows.all(Ready))
    const isBusy = found.some((one) => one.is_ready)
    const forsaken = isBusy ? [] : yield* findForsaken(sql, request).pipe(Rows.all(Ready))
    return [...gone, ...forsaken, ...found]
  })

/**
 * Finds when the next delivery after `after` is due, by two index look-ups for each endpoint with waiting deliveries.
 */
export const nextDue = (sql: SqlClient, after: Timestamp.Timestamp) =>
  sql`WITH RECURSIVE ${waiting(sql)}
      SELECT min(head.due_at) AS due_at FROM waiting w CROSS JOIN LATERAL (
        SELECT d.due_at FROM deliveries d
        WHERE d.app_id = w.app_id AND d.endpoint_id = w.endpoint_id AND ${sql.literal(WAITS)}
          AND d.due_at > ${Rows.at(after)}
        ORDER BY d.due_at LIMIT 1
      ) head`

/** Finds when the next delivery after `after` is due, on a cluster: by one index look-up for each stored endpoint. */
export const nextDueOnCluster = (sql: SqlClient, after: Timestamp.Timestamp) =>
  sql`SELECT min(head.due_at) AS due_at FROM endpoints e CROSS JOIN LATERAL (
        SELECT d.due_at FROM deliveries d
        WHERE d.app_id = e.app_id AND d.endpoint_id = e.endpoint_id AND ${sql.literal(WAITS)}
          AND d.due_at > ${Rows.at(after)}
        ORDER BY d.due_at LIMIT 1
      ) head`
