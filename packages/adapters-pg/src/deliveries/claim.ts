import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import {
  type ClaimedDelivery,
  type ClaimedDeliveries,
  type ClaimRequest,
  Delivery,
  RetrySchedule
} from "@place-access/domain/deliveries"
import { EndpointUrl } from "@place-access/domain/endpoints"
import { type AppId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { Array as Arrays, Effect, ParseResult, Predicate, Schema } from "effect"
import { Headers } from "../vault/EndpointHeaders.js"
import { Secrets } from "../vault/SigningSecrets.js"
import { togetherLast } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { readerOf, UNREAD } from "../driver/Reader.js"
import { DeliveryRow, toDelivery } from "./DeliveryRow.js"
import { type EndpointWithWork, find, findOnCluster } from "./endpointsWithWork.js"
import { byDueTime, setting, waits } from "./transitions.js"
import { endWaiting, SWEEP } from "./endWaiting.js"

const ClaimRow = Schema.Struct({
  ...DeliveryRow.fields,
  url: EndpointUrl.EndpointUrl,
  secrets: Secrets,
  headers: Headers
})
const readRow = readerOf(ClaimRow.ast) as (row: unknown) => typeof ClaimRow.Type | typeof UNREAD
const decodeRow = Schema.decodeUnknown(ClaimRow)

const WAITS = waits("d.state")
const BY_DUE_TIME = byDueTime("d")
const TAKE = setting(["Claimed", "Failed"], "h")

const DELIVERY_COLUMNS = Rows.columns(DeliveryRow, "d")

/**
 * The times at which a delivery is due again if the lease of this claim lapses. After each of the first two lapses in a
 * row, the delivery is due immediately. The first time of this list is for the third lapse in a row, the second time
 * for the fourth lapse, and so on. `Delivery.dueAfterLapse` has the same rule.
 */
const dueAfterLapses = (leaseUntil: Timestamp.Timestamp) =>
  RetrySchedule.WAITS.map((millis) => Rows.at(Timestamp.plus(leaseUntil, millis)))

/**
 * The smallest power of two that is at least `count`. The result becomes part of the statement's text. The server
 * prepares each text separately, and rounding keeps the number of texts small.
 */
const powerOfTwo = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, count)))

/**
 * Claims deliveries of one app. A claim is a lease: the row gets the worker's random `lease` and the time
 * `leased_until`. Until then the row belongs to that worker alone, and no transaction stays open while the worker
 * posts. Finishing the delivery needs the same `lease`. When the worker dies, the time runs out and the next claim
 * takes the row over; a delivery whose leases lapse `Delivery.MAX_LAPSES` times one after the other fails as abandoned.
 *
 * `limit` is shared among the endpoints: each next row goes to the endpoint that then has the fewest deliveries in
 * flight. An endpoint gets a new epoch each time it is disabled. A delivery of an earlier epoch fails when the
 * statement finds it.
 *
 * The cost does not grow with the backlog. The rows of an endpoint are limited before they are numbered: a window over
 * all due rows would read all of them. The LIMIT of `held` is a number in the text of the statement. With a parameter,
 * the planner would expect a tenth of all waiting rows, and would read the whole table to join them. `delivery_id =
 * delivery_id || ''` is a comparison that the planner cannot estimate, so it expects few rows and uses the key.
 *
 * The condition on `app_id` of every table is a constant, so that Citus sends the statement as it is to the app's
 * shard. TypeScript computes the times after lapses: Citus refuses `timestamptz + interval` in an UPDATE, because the
 * sum depends on the session's time zone.
 */
export const take = (
  sql: SqlClient,
  appId: AppId,
  endpointIds: ReadonlyArray<string>,
  { lease, leaseUntil, limit, now, perEndpoint }: ClaimRequest
) =>
  sql`WITH endpoint AS (
        SELECT e.endpoint_id, e.epoch, e.url, e.secrets, e.headers, busy.under_way
        FROM unnest(${endpointIds}::text[]) AS asked (endpoint_id)
        JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = asked.endpoint_id
        CROSS JOIN LATERAL (
          SELECT count(*) AS under_way FROM deliveries d
          WHERE d.app_id = ${appId} AND d.endpoint_id = e.endpoint_id AND d.leased_until > ${Rows.at(now)}
        ) busy
        WHERE e.disabled_at IS NULL AND busy.under_way < ${perEndpoint}
      ), candidate AS (
        SELECT e.endpoint_id
        FROM endpoint e CROSS JOIN LATERAL (
          SELECT head.*, e.under_way + row_number() OVER (ORDER BY head.due_at, head.delivery_id) AS place FROM (
            SELECT d.due_at, d.delivery_id COLLATE "C" AS delivery_id FROM deliveries d
            WHERE d.app_id = ${appId} AND d.endpoint_id = e.endpoint_id AND ${sql.literal(WAITS)}
              AND d.due_at <= ${Rows.at(now)} AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
            ORDER BY ${sql.literal(BY_DUE_TIME)} LIMIT least(${perEndpoint} - e.under_way, ${limit})
          ) head
        ) due
        ORDER BY due.place, due.due_at, due.delivery_id LIMIT ${limit}
      ), quota AS (
        SELECT endpoint_id, count(*) AS rows FROM candidate GROUP BY endpoint_id
      ), held AS (
        SELECT row.delivery_id, row.lapses, e.url, e.secrets, e.headers,
          CASE WHEN row.endpoint_epoch = e.epoch AND row.lapses < ${Delivery.MAX_LAPSES} THEN 'Claimed'
               ELSE 'Failed' END AS step,
          CASE WHEN row.endpoint_epoch = e.epoch THEN 'abandoned' ELSE 'endpoint_disabled' END AS fail_reason,
          coalesce((${dueAfterLapses(leaseUntil)}::timestamptz[])[row.lapses - 1], row.due_at) AS due_at,
          ${Rows.at(now)}::timestamptz AS ended_at,
          ${lease}::text AS lease,
          ${Rows.at(leaseUntil)}::timestamptz AS leased_until
        FROM quota q JOIN endpoint e ON e.endpoint_id = q.endpoint_id
        CROSS JOIN LATERAL (
          SELECT d.delivery_id, d.endpoint_epoch, d.due_at,
            CASE WHEN d.leased_until IS NULL THEN 0 ELSE d.lapses + 1 END AS lapses
          FROM deliveries d
          WHERE d.app_id = ${appId} AND d.endpoint_id = q.endpoint_id AND ${sql.literal(WAITS)}
            AND d.due_at <= ${Rows.at(now)} AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
          ORDER BY ${sql.literal(BY_DUE_TIME)} LIMIT q.rows FOR UPDATE SKIP LOCKED
        ) row
        LIMIT ${sql.literal(String(powerOfTwo(limit)))}
      ), taken AS (
        UPDATE deliveries d SET lapses = h.lapses, ${sql.literal(TAKE)}
        FROM held h
        WHERE d.app_id = ${appId} AND d.delivery_id = h.delivery_id AND h.delivery_id = h.delivery_id || ''
        RETURNING ${DELIVERY_COLUMNS}, h.url, h.secrets, h.headers, h.step
      )
      SELECT * FROM taken WHERE step = 'Claimed' OR fail_reason = 'abandoned'`

const isGivenUp = (row: unknown): row is { readonly delivery_id: string } =>
  Predicate.hasProperty(row, "step") && row.step === "Failed"

/**
 * A row that cannot be read must not stop the queue. The row stays leased until the lease lapses, and the log names its
 * id and the wrong fields, but never its content.
 */
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

/**
 * Implements `DeliveryStore.claim`: finds the endpoints with work, fails deliveries that can never be sent, and leases
 * deliveries that are due.
 */
export const claim = (
  sql: SqlClient,
  request: ClaimRequest,
  onCluster: boolean
): Effect.Effect<ClaimedDeliveries, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    const found = yield* onCluster ? findOnCluster(sql, request) : find(sql, request)
    const ready = found.filter((one) => one.is_ready)
    const isUnfinished = yield* sweep(sql, found, request.now)
    if (ready.length === 0) return { claims: [], isUnfinished, isSkipping: false }
    const [rows, isSkipping] = yield* takeApart(sql, ready, request)
    const [taken, givenUp] = Arrays.partition(rows, isGivenUp)
    const ids = givenUp.map((row) => row.delivery_id)
    if (ids.length > 0) yield* Effect.logError("Gave up on deliveries whose leases lapsed again and again", ids)
    const claims: Array<ClaimedDelivery> = []
    for (const row of taken) {
      const read = readRow(row)
      const columns = read === UNREAD ? yield* decode(row) : read
      if (columns === undefined) continue
      claims.push({
        delivery: toDelivery(columns),
        lease: request.lease,
        url: columns.url,
        secrets: columns.secrets,
        headers: columns.headers
      })
    }
    claims.sort((a, b) => Delivery.byDueTime(a.delivery, b.delivery))
    return { claims, isUnfinished, isSkipping }
  })

/**
 * Takes deliveries in three turns, so that neither kind of endpoint waits for the other:
 * 1. of slow endpoints, whose last attempt failed or took long: at most half of the limit;
 * 2. of the other endpoints;
 * 3. of slow endpoints once more.
 *
 * In all turns together, it takes at most `slow.limit` deliveries of slow endpoints.
 */
const takeApart = (sql: SqlClient, ready: ReadonlyArray<EndpointWithWork>, request: ClaimRequest) =>
  Effect.gen(function* () {
    const [others, slow] = Arrays.partition(ready, (one) => one.is_slow)
    const most = Math.min(request.limit, request.slow?.limit ?? 0)
    const half = Math.min(most, Math.ceil(request.limit / 2))
    const [first, isFirstSkipping] = yield* takeShares(sql, slow, { ...request, limit: half })
    const limit = request.limit - first.length
    const [second, isSecondSkipping] = yield* takeShares(sql, others, { ...request, limit })
    const left = Math.min(most - first.length, limit - second.length)
    const isMore = first.length >= half && left > 0
    const [third] = isMore ? yield* takeShares(sql, slow, { ...request, limit: left }) : [[]]
    return [[...first, ...second, ...third], isFirstSkipping || isSecondSkipping] as const
  })

/**
 * Takes deliveries of each app in a transaction of its own: an app's rows are on one node, and a transaction over
 * several nodes would be a two-phase commit. In each round, an app gets a part of the remaining limit, in proportion to
 * its number of endpoints. The part is rounded up, and the next app gets its part of the limit that is then left. An
 * app that took as many deliveries as its part allows may have more, so it gets a part in the next round too. The
 * second value of the result says whether an endpoint was skipped because its row was locked or deleted.
 */
const takeShares = (sql: SqlClient, ready: ReadonlyArray<EndpointWithWork>, request: ClaimRequest) =>
  Effect.gen(function* () {
    const taken: Array<unknown> = []
    let isSkipping = false
    let apps = Object.values(Arrays.groupBy(ready, (one) => one.app_id)).map(
      (endpoints) => [endpoints[0].app_id, endpoints.map((one) => one.endpoint_id)] as const
    )
    while (apps.length > 0 && taken.length < request.limit) {
      let endpoints = apps.reduce((sum, [, ids]) => sum + ids.length, 0)
      const more: typeof apps = []
      for (const [appId, ids] of apps) {
        const limit = Math.ceil(((request.limit - taken.length) * ids.length) / endpoints)
        if (limit === 0) break
        endpoints -= ids.length
        const { locked, rows } = yield* takeOf(sql, appId, ids, { ...request, limit })
        taken.push(...rows)
        isSkipping = isSkipping || locked < ids.length
        if (rows.length >= limit) more.push([appId, ids])
      }
      apps = more
    }
    return [taken, isSkipping] as const
  })

const LockedRow = Schema.Struct({ endpoint_id: EndpointId })

/**
 * Claims deliveries of some endpoints of one app. It first locks the endpoints' rows in the order of their ids, so that
 * two claims of one endpoint never run at the same time. The claim itself is the next statement, so it sees the rows
 * that the earlier claim took, and never leases more deliveries of an endpoint than `perEndpoint` at the same time. No
 * claim waits for the lock: an endpoint whose row another transaction has locked is left out, and delays no other
 * endpoint.
 */
const takeOf = (sql: SqlClient, appId: AppId, endpointIds: ReadonlyArray<string>, request: ClaimRequest) =>
  Effect.gen(function* () {
    const locked = yield* sql`SELECT endpoint_id FROM endpoints
        WHERE app_id = ${appId} AND endpoint_id = ANY(${endpointIds}::text[])
        ORDER BY endpoint_id FOR NO KEY UPDATE SKIP LOCKED`.pipe(Rows.all(LockedRow))
    const ids = locked.map((row) => row.endpoint_id)
    const answers = ids.length === 0 ? () => [] : yield* togetherLast([take(sql, appId, ids, request)])
    return { locked: ids.length, answers }
  }).pipe(
    sql.withTransaction,
    Effect.map(({ answers, locked }) => ({ locked, rows: answers()[0] ?? [] }))
  )

/**
 * Fails deliveries that can never be sent, at most `SWEEP` in one claim. Returns true when there may be more such
 * deliveries.
 */
const sweep = (sql: SqlClient, found: ReadonlyArray<EndpointWithWork>, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    let room = SWEEP
    for (const { app_id: appId, endpoint_id: id, epoch, is_vain } of found) {
      if (!is_vain || room === 0) continue
      const reason = epoch === null ? "endpoint_removed" : "endpoint_disabled"
      room -= yield* endWaiting(sql, { appId, id, epoch, reason, now, atMost: room })
    }
    return room === 0
  })
