import { SqlClient } from "@effect/sql/SqlClient"
import { COUNTED_MAX, FiguresStore, type Tally } from "@place-access/domain/figures"
import { type AppId, Page } from "@place-access/domain/shared"
import { Array as Arrays, Effect, Layer } from "effect"
import { waits } from "../deliveries/transitions.js"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { orStoreError } from "../Failures.js"
import { isDistributed } from "../schema/isDistributed.js"
import * as FiguresRows from "./FiguresRows.js"
import { adding } from "./writes.js"

type Store = typeof FiguresStore.Service

/**
 * On a cluster, the largest number of apps whose rows are written at the same time. The rows of one app are on one
 * node.
 */
const APPS_AT_ONCE = 4

export const layer: Layer.Layer<FiguresStore, never, SqlClient> = Layer.effect(
  FiguresStore,
  Effect.map(SqlClient, (sql) =>
    FiguresStore.of({
      add: add(sql),
      hours: hours(sql),
      calls: calls(sql),
      attempts: attempts(sql),
      newest: newest(sql),
      waiting: waiting(sql),
      users: users(sql)
    })
  )
)

/**
 * On a single server, sends one statement for each kind of rows. On a cluster, each statement has rows of one kind and
 * one app, so that it goes to one node: a statement for several apps would be a two-phase commit.
 */
const add = (sql: SqlClient): Store["add"] => {
  const onCluster = isDistributed(sql)
  return (batch) =>
    Effect.flatMap(onCluster, (is) => {
      const adds = adding(sql, is)
      return Effect.forEach(
        is ? byApp(batch) : [batch],
        ({ attempts: endpoints, calls: logged, hours: apps }) =>
          Effect.all([adds.hours(apps), adds.attempts(endpoints), adds.calls(logged)], { discard: true }),
        { concurrency: APPS_AT_ONCE, discard: true }
      )
    }).pipe(orStoreError)
}

const byApp = ({ attempts, calls, hours }: Tally.FiguresBatch): ReadonlyArray<Tally.FiguresBatch> => {
  const appOf = ({ appId }: { readonly appId: AppId }) => appId
  const [ownHours, ownAttempts, ownCalls] = [
    Arrays.groupBy(hours, appOf),
    Arrays.groupBy(attempts, appOf),
    Arrays.groupBy(calls, appOf)
  ]
  const apps = new Set([...hours, ...attempts, ...calls].map(appOf))
  return [...apps].map((id) => ({
    hours: ownHours[id] ?? [],
    attempts: ownAttempts[id] ?? [],
    calls: ownCalls[id] ?? []
  }))
}

const hours =
  (sql: SqlClient): Store["hours"] =>
  (appId, from, to) =>
    sql`SELECT ${Rows.columns(FiguresRows.AppHourRow)} FROM app_hours
        WHERE app_id = ${appId} AND hour >= ${Rows.at(from)} AND hour < ${Rows.at(to)} ORDER BY hour`.pipe(
      Rows.all(FiguresRows.AppHourRow),
      Effect.map((rows) => rows.map(FiguresRows.toAppHour)),
      orStoreError
    )

const calls =
  (sql: SqlClient): Store["calls"] =>
  (appId, { refusedOnly }, limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const only = [
        sql`app_id = ${appId}`,
        ...(refusedOnly ? [sql`error IS NOT NULL`] : []),
        ...(position === undefined ? [] : [sql`(at, request_id) < (${Rows.at(position[0])}, ${position[1]})`])
      ]
      const rows = yield* sql`SELECT ${Rows.columns(FiguresRows.CallRow)} FROM app_calls WHERE ${sql.and(only)}
                              ORDER BY at DESC, request_id DESC LIMIT ${limit + 1}`.pipe(Rows.all(FiguresRows.CallRow))
      return Page.of(rows.map(FiguresRows.toCall), limit, (last) => [last.at, last.requestId])
    }).pipe(orStoreError)

const attempts =
  (sql: SqlClient): Store["attempts"] =>
  (appId, endpointId, from) =>
    sql`SELECT ${Rows.columns(FiguresRows.AttemptRow)} FROM endpoint_hours
        WHERE app_id = ${appId} AND endpoint_id = ${endpointId} AND hour >= ${Rows.at(from)}
        ORDER BY hour, is_success, up_to_millis`.pipe(
      Rows.all(FiguresRows.AttemptRow),
      Effect.map((rows) => rows.map(FiguresRows.toAttempts)),
      orStoreError
    )

/**
 * Finds the newest success and the newest failure of each endpoint since `from`. The statement reads all rows of the
 * app since `from`. These rows are few, because an app has few endpoints and callers ask for seven days.
 */
const newest =
  (sql: SqlClient): Store["newest"] =>
  (appId, from) =>
    sql`SELECT DISTINCT ON (endpoint_id, is_success) endpoint_id, is_success, last_at, error FROM endpoint_hours
        WHERE app_id = ${appId} AND hour >= ${Rows.at(from)}
        ORDER BY endpoint_id, is_success, last_at DESC`.pipe(
      Rows.all(FiguresRows.NewestRow),
      Effect.map(FiguresRows.toNewest),
      orStoreError
    )

const WAITS = waits("state")

const waiting =
  (sql: SqlClient): Store["waiting"] =>
  (appId, endpointId) =>
    sql`SELECT count(*) AS count FROM (
          SELECT 1 FROM deliveries WHERE app_id = ${appId} AND endpoint_id = ${endpointId} AND ${sql.literal(WAITS)}
          LIMIT ${COUNTED_MAX}) AS waiting`.pipe(
      Rows.all(FiguresRows.CountRow),
      Effect.map((rows) => rows[0]?.count ?? 0),
      orStoreError
    )

/**
 * Counts, for each hour, how many of the newest `COUNTED_MAX` connections of an app were approved in that hour. The
 * index `connections_by_app` returns the newest connections first. On a cluster each shard returns its own newest
 * connections, and the coordinator takes the newest of all.
 */
const users =
  (sql: SqlClient): Store["users"] =>
  (appId, from) =>
    sql`SELECT CASE WHEN connected_at >= ${Rows.at(from)}
                    THEN date_bin('1 hour', connected_at, '1970-01-01T00:00:00Z'::timestamptz) END AS hour,
               count(*) AS count, count(*) FILTER (WHERE ended_at IS NULL) AS live
        FROM (SELECT connected_at, ended_at FROM connections WHERE app_id = ${appId}
              ORDER BY connected_at DESC LIMIT ${COUNTED_MAX}) AS newest
        GROUP BY 1 ORDER BY 1`.pipe(
      Rows.all(FiguresRows.UsersRow),
      Effect.map((rows) => ({
        live: rows.reduce((sum, { live }) => sum + live, 0),
        isAtMax: rows.reduce((sum, { count }) => sum + count, 0) >= COUNTED_MAX,
        connected: rows.flatMap(({ count, hour }) => (hour === null ? [] : [{ hour, count }]))
      })),
      orStoreError
    )
