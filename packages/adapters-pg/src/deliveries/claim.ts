import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  type Claim,
  type ClaimedDeliveries,
  type ClaimRequest,
  Delivery,
  RetrySchedule
} from "@place-access/domain/deliveries"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { AppId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { Array as Arrays, Effect, ParseResult, Predicate, Schema } from "effect"
import { Secrets } from "../EndpointRow.js"
import { togetherLast } from "../client/Client.js"
import * as Rows from "../Rows.js"
import { readerOf, UNREAD } from "../rows/Reader.js"
import { DeliveryRow, toDelivery } from "./DeliveryRow.js"
import { endWaiting, SWEEP } from "./endWaiting.js"

/** An endpoint at which something is due, or waits in vain; or both, when it was disabled and enabled again. */
const Ready = Schema.Struct({
  app_id: AppId,
  endpoint_id: EndpointId,
  /** Null when it is gone. */
  epoch: Schema.NullOr(Schema.Int),
  is_ready: Schema.Boolean,
  is_vain: Schema.Boolean
})

const ClaimRow = Schema.Struct({ ...DeliveryRow.fields, url: EndpointUrl.EndpointUrl, secrets: Secrets })
const readRow = readerOf(ClaimRow.ast) as (row: unknown) => typeof ClaimRow.Type | typeof UNREAD
const decodeRow = Schema.decodeUnknown(ClaimRow)

const DELIVERY_COLUMNS = Object.keys(DeliveryRow.fields)
  .map((column) => `d.${column}`)
  .join(", ")

/**
 * Every endpoint at which something waits is visited by one jump in the index each, however long its backlog. Whoever has
 * the fewest under way comes first, then whose row has been due longest. Those at which nothing but vain waiting is take no
 * room from the others.
 */
export const findReady = (sql: SqlClient, { now, limit, perEndpoint }: ClaimRequest) =>
  sql`WITH RECURSIVE waiting AS (
        (SELECT app_id, endpoint_id FROM deliveries WHERE state = 'trying' ORDER BY app_id, endpoint_id LIMIT 1)
        UNION ALL
        SELECT next.app_id, next.endpoint_id FROM waiting w CROSS JOIN LATERAL (
          SELECT d.app_id, d.endpoint_id FROM deliveries d
          WHERE d.state = 'trying' AND (d.app_id, d.endpoint_id) > (w.app_id, w.endpoint_id)
          ORDER BY d.app_id, d.endpoint_id LIMIT 1
        ) next
      ), found AS (
        SELECT w.app_id, w.endpoint_id, e.epoch, busy.under_way, head.due_at,
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
          SELECT d.due_at, d.endpoint_epoch FROM deliveries d
          WHERE d.app_id = w.app_id AND d.endpoint_id = w.endpoint_id AND d.state = 'trying'
            AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
          ORDER BY d.due_at LIMIT 1
        ) head
      ), ranked AS (
        SELECT *, row_number() OVER (PARTITION BY is_ready ORDER BY under_way, due_at) AS place
        FROM found WHERE is_ready OR is_vain
      )
      SELECT app_id, endpoint_id, epoch, is_ready, is_vain FROM ranked
      WHERE place <= ${limit} ORDER BY place`

/** In seconds after a lease that runs out, from the third in a row on (`Delivery.dueAfterLapse`). */
const WAITS = RetrySchedule.WAITS.map((millis) => millis / Timestamp.SECOND)

/** At least `count`; few enough different ones for the statement to be prepared. */
const powerOfTwo = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)))

/**
 * Shares `limit` among the endpoints, one row each before a second one of any, and takes the rows. Those of an earlier epoch
 * that are met end here, and so do those on which lease after lease ran out.
 *
 * None of it grows with the backlog. Rows are numbered behind their limit: a window over all that is due reads all of it, however
 * few are wanted. And the planner is told in numbers how few rows are held: from a limit that it cannot see it expects a tenth of
 * what waits, and reads the whole table to find them again.
 */
export const take = (
  sql: SqlClient,
  appIds: ReadonlyArray<string>,
  endpointIds: ReadonlyArray<string>,
  { lease, leaseUntil, limit, now, perEndpoint }: ClaimRequest
) =>
  sql`WITH asked AS (
        SELECT * FROM unnest(${appIds}::text[], ${endpointIds}::text[]) AS a (app_id, endpoint_id)
      ), endpoint AS (
        SELECT e.app_id, e.endpoint_id, e.epoch, e.url, e.secrets, busy.under_way
        FROM asked a JOIN endpoints e ON e.app_id = a.app_id AND e.endpoint_id = a.endpoint_id
        CROSS JOIN LATERAL (
          SELECT count(*) AS under_way FROM deliveries d
          WHERE d.app_id = e.app_id AND d.endpoint_id = e.endpoint_id AND d.leased_until > ${Rows.at(now)}
        ) busy
        WHERE e.disabled_at IS NULL AND busy.under_way < ${perEndpoint}
      ), candidate AS (
        SELECT e.app_id, e.endpoint_id
        FROM endpoint e CROSS JOIN LATERAL (
          SELECT head.due_at, e.under_way + row_number() OVER (ORDER BY head.due_at) AS place FROM (
            SELECT d.due_at FROM deliveries d
            WHERE d.app_id = e.app_id AND d.endpoint_id = e.endpoint_id AND d.state = 'trying'
              AND d.due_at <= ${Rows.at(now)} AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
            ORDER BY d.due_at LIMIT least(${perEndpoint} - e.under_way, ${limit})
          ) head
        ) due
        ORDER BY due.place, due.due_at LIMIT ${limit}
      ), quota AS (
        SELECT app_id, endpoint_id, count(*) AS rows FROM candidate GROUP BY app_id, endpoint_id
      ), held AS (
        SELECT row.app_id, row.delivery_id, row.lapses, row.endpoint_epoch = e.epoch AS is_current,
          row.endpoint_epoch = e.epoch AND row.lapses < ${Delivery.MAX_LAPSES} AS goes_on, e.url, e.secrets
        FROM quota q JOIN endpoint e ON e.app_id = q.app_id AND e.endpoint_id = q.endpoint_id
        CROSS JOIN LATERAL (
          SELECT d.app_id, d.delivery_id, d.endpoint_epoch,
            CASE WHEN d.leased_until IS NULL THEN 0 ELSE d.lapses + 1 END AS lapses
          FROM deliveries d
          WHERE d.app_id = q.app_id AND d.endpoint_id = q.endpoint_id AND d.state = 'trying'
            AND d.due_at <= ${Rows.at(now)} AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
          ORDER BY d.due_at LIMIT q.rows FOR UPDATE SKIP LOCKED
        ) row
        LIMIT ${sql.literal(String(powerOfTwo(limit)))}
      ), taken AS (
        UPDATE deliveries d SET
          lease = CASE WHEN h.goes_on THEN ${lease} END,
          leased_until = CASE WHEN h.goes_on THEN ${Rows.at(leaseUntil)}::timestamptz END,
          lapses = h.lapses,
          state = CASE WHEN h.goes_on THEN 'trying' ELSE 'failed' END,
          fail_reason = CASE WHEN h.goes_on THEN NULL WHEN h.is_current THEN 'abandoned' ELSE 'endpoint_disabled' END,
          due_at = CASE WHEN h.goes_on THEN coalesce(
            ${Rows.at(leaseUntil)}::timestamptz + (${WAITS}::integer[])[h.lapses - 1] * interval '1 second', d.due_at) END,
          ended_at = CASE WHEN h.goes_on THEN NULL ELSE ${Rows.at(now)}::timestamptz END
        FROM held h WHERE d.app_id = h.app_id AND d.delivery_id = h.delivery_id
        RETURNING ${sql.literal(DELIVERY_COLUMNS)}, h.url, h.secrets
      )
      SELECT * FROM taken WHERE state = 'trying' OR fail_reason = 'abandoned' ORDER BY due_at`

const isGivenUp = (row: unknown): row is { readonly delivery_id: string } =>
  Predicate.hasProperty(row, "state") && row.state === "failed"

/** A row that cannot be read must not stop the queue: it is left to its lease, loudly, but without what it holds. */
const decode = (row: unknown) =>
  Effect.catchAll(decodeRow(row), (error) =>
    Effect.as(
      Effect.logError(
        "A delivery cannot be read and is left to its lease",
        Predicate.hasProperty(row, "delivery_id") ? row.delivery_id : undefined,
        ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join("."))
      ),
      undefined
    )
  )

/** `DeliveryStore.claim`. */
export const claim = (
  sql: SqlClient,
  request: ClaimRequest
): Effect.Effect<ClaimedDeliveries, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    // An idle queue costs this one statement.
    const found = yield* findReady(sql, request).pipe(Rows.all(Ready))
    const isUnfinished = yield* sweep(sql, found, request.now)
    const ready = found.filter((one) => one.is_ready)
    if (ready.length === 0) return { claims: [], isUnfinished }
    const [appIds, endpointIds] = [ready.map((one) => one.app_id), ready.map((one) => one.endpoint_id)]
    // Claims of one endpoint queue up at the lock, in one order; the next statement, which travels with it, begins when the lock
    // is held and sees what the claim before took. So the bound on what is under way is kept exactly.
    const answers = yield* togetherLast([
      sql`SELECT 1 FROM endpoints e
        JOIN unnest(${appIds}::text[], ${endpointIds}::text[]) AS a (app_id, endpoint_id)
          ON e.app_id = a.app_id AND e.endpoint_id = a.endpoint_id
        ORDER BY e.app_id, e.endpoint_id FOR NO KEY UPDATE OF e`,
      take(sql, appIds, endpointIds, request)
    ]).pipe(sql.withTransaction)
    const [, rows = []] = answers()
    const [taken, givenUp] = Arrays.partition(rows, isGivenUp)
    const ids = givenUp.map((row) => row.delivery_id)
    if (ids.length > 0) yield* Effect.logError("No worker came to an end with these deliveries: given up", ids)
    const claims: Array<Claim> = []
    for (const row of taken) {
      const read = readRow(row)
      const columns = read === UNREAD ? yield* decode(row) : read
      if (columns === undefined) continue
      claims.push({ delivery: toDelivery(columns), lease: request.lease, url: columns.url, secrets: columns.secrets })
    }
    return { claims, isUnfinished }
  })

/** Ends what waits in vain, a little at a time; true when there may be more of it. */
const sweep = (sql: SqlClient, found: ReadonlyArray<typeof Ready.Type>, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    let room = SWEEP
    for (const { app_id: appId, endpoint_id: id, epoch, is_vain } of found) {
      if (!is_vain || room === 0) continue
      const reason = epoch === null ? "endpoint_removed" : "endpoint_disabled"
      room -= yield* endWaiting(sql, { appId, id, epoch, reason, now, atMost: room })
    }
    return room === 0
  })
