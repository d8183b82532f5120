import { SqlClient } from "@effect/sql/SqlClient"
import { type AccessLogEntry, AccessLogStore } from "@place-access/domain/access-log"
import { Disclosure } from "@place-access/domain/answers"
import { AppId, ConnectionId, Page } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Batches from "../driver/Batches.js"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { orStoreError } from "../Failures.js"
import { isDistributed } from "../schema/isDistributed.js"
import { COLUMNS, EntryRow, NOT_OF_APP, OF_DEVELOPER, toEntry } from "./EntryRow.js"

type Store = typeof AccessLogStore.Service
type Entry = AccessLogEntry.AccessLogEntry

/**
 * Nearly every request of an app writes an entry and waits for the commit. On a single server, entries of requests in
 * flight share one INSERT (`Batches`). On a cluster that INSERT would be a two-phase commit over several nodes, so each
 * entry has an INSERT of its own.
 */
export const layer: Layer.Layer<AccessLogStore, never, SqlClient> = Layer.scoped(
  AccessLogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const onCluster = isDistributed(sql)
    const write = yield* Batches.make((entries: ReadonlyArray<Entry>) => insert(sql, entries))
    return AccessLogStore.of({
      record: (entry) =>
        Effect.flatMap(orStoreError(onCluster), (is) => (is ? insertOne(sql, entry) : Effect.asVoid(write(entry)))),
      recordRepeat: (entry) =>
        insertOne(sql, entry, sql`DO UPDATE SET times = greatest(present.times, excluded.times)`),
      recordUnless: recordUnless(sql),
      list: list(sql),
      countUses: countUses(sql),
      tally: tally(sql),
      lastAnswered: lastAnswered(sql)
    })
  })
)

const insert = (sql: SqlClient, entries: ReadonlyArray<Entry>) =>
  sql`INSERT INTO access_log (${COLUMNS})
      SELECT * FROM unnest(
        ${entries.map((entry) => entry.userId)}::text[],
        ${entries.map((entry) => entry.id)}::text[],
        ${entries.map((entry) => Rows.at(entry.at))}::timestamptz[],
        ${entries.map((entry) => entry.appId)}::text[],
        ${entries.map((entry) => entry.connectionId)}::text[],
        ${entries.map((entry) => entry.endpoint)}::text[],
        ${entries.map((entry) => entry.purpose)}::text[],
        ${entries.map((entry) => entry.status)}::integer[],
        ${entries.map((entry) => entry.error)}::text[],
        ${entries.map((entry) => entry.disclosed)}::text[],
        ${entries.map((entry) => entry.times)}::integer[])
      ON CONFLICT (user_id, at, entry_id) DO NOTHING`.pipe(Effect.as(entries), orStoreError)

const insertOne = (sql: SqlClient, entry: Entry, orElse = sql`DO NOTHING`) =>
  sql`INSERT INTO access_log AS present (${COLUMNS})
      VALUES (${entry.userId}, ${entry.id}, ${Rows.at(entry.at)}, ${entry.appId}, ${entry.connectionId},
              ${entry.endpoint}, ${entry.purpose}, ${entry.status}, ${entry.error}, ${entry.disclosed}, ${entry.times})
      ON CONFLICT (user_id, at, entry_id) ${orElse}`.pipe(Effect.asVoid, orStoreError)

/**
 * Inserts the entry unless the user has an entry with one of `keys`. The statement looks up each key in the index and
 * never scans the user's entries. `insert` and `insertOne` have no such condition, because nearly every request of an
 * app runs one of them, and the look-ups would slow it down.
 */
const recordUnless =
  (sql: SqlClient): Store["recordUnless"] =>
  (entry, keys) => {
    const isAbsent = keys.map(
      ({ at, id }) => sql`NOT EXISTS (
        SELECT FROM access_log WHERE user_id = ${entry.userId} AND at = ${Rows.at(at)} AND entry_id = ${id})`
    )
    return sql`INSERT INTO access_log (${COLUMNS})
               SELECT ${entry.userId}::text, ${entry.id}::text, ${Rows.at(entry.at)}::timestamptz,
                      ${entry.appId}::text, ${entry.connectionId}::text, ${entry.endpoint}::text,
                      ${entry.purpose}::text, ${entry.status}::integer, ${entry.error}::text, ${entry.disclosed}::text,
                      ${entry.times}::integer
               WHERE ${sql.and([sql`true`, ...isAbsent])}
               ON CONFLICT (user_id, at, entry_id) DO NOTHING`.pipe(Effect.asVoid, orStoreError)
  }

const list =
  (sql: SqlClient): Store["list"] =>
  (userId, { appId, from, purpose, to }, limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const only = [
        sql`user_id = ${userId}`,
        ...(appId === undefined ? [] : [sql`app_id = ${appId}`]),
        ...(purpose === undefined ? [] : [sql`purpose = ${purpose}`]),
        ...(from === undefined ? [] : [sql`at >= ${Rows.at(from)}`]),
        ...(to === undefined ? [] : [sql`at < ${Rows.at(to)}`]),
        ...(position === undefined ? [] : [sql`(at, entry_id) < (${Rows.at(position[0])}, ${position[1]})`])
      ]
      const rows = yield* sql`SELECT ${COLUMNS} FROM access_log WHERE ${sql.and(only)}
                              ORDER BY at DESC, entry_id DESC LIMIT ${limit + 1}`.pipe(Rows.all(EntryRow))
      return Page.of(rows.map(toEntry), limit, (last) => [last.at, last.id])
    }).pipe(orStoreError)

const UsesRow = Schema.Struct({ purpose: Schema.NullOr(Schema.String), count: Rows.Bigint })

const countUses =
  (sql: SqlClient): Store["countUses"] =>
  (userId, appId, from) =>
    sql`SELECT purpose, count(*) AS count FROM access_log
        WHERE user_id = ${userId} AND app_id = ${appId} AND at >= ${Rows.at(from)} AND error IS NULL
          AND endpoint NOT LIKE ALL(${NOT_OF_APP}::text[]) AND disclosed IS DISTINCT FROM ${Disclosure.PAUSED}
        GROUP BY purpose ORDER BY count(*) DESC, coalesce(purpose, '') COLLATE "C"`.pipe(
      Rows.all(UsesRow),
      orStoreError
    )

const TallyRow = Schema.Struct({ app_id: AppId, edge: Schema.Int, count: Rows.Bigint, requests: Rows.Bigint })

/**
 * Counts, for each app and between every two neighbouring times in `edges`, all entries (`count`) and the entries about
 * requests of the app (`requests`). An entry can stand for several requests, and counts as often as `times` says.
 * PostgreSQL finds the entries between the first edge and the last by the primary key.
 */
const tally =
  (sql: SqlClient): Store["tally"] =>
  (userId, edges) =>
    sql`SELECT app_id, width_bucket(at, ${edges.map(Rows.at)}::timestamptz[]) - 1 AS edge, sum(times) AS count,
               coalesce(sum(times) FILTER (WHERE endpoint NOT LIKE ALL(${NOT_OF_APP}::text[])), 0) AS requests
        FROM access_log
        WHERE user_id = ${userId} AND at >= ${Rows.at(edges[0] ?? 0)} AND at < ${Rows.at(edges.at(-1) ?? 0)}
        GROUP BY app_id, edge ORDER BY edge, app_id COLLATE "C"`.pipe(
      Rows.all(TallyRow),
      Effect.map((rows) => rows.map(({ app_id: appId, count, edge, requests }) => ({ appId, edge, count, requests }))),
      orStoreError
    )

const LastRow = Schema.Struct({ connection_id: ConnectionId, at: Rows.At })

/**
 * Finds, for each of the given connections, the time of its newest access-log entry without an error, at or before the
 * connection's `until`. Requests of the app's developer do not count. PostgreSQL reads the index of user and app
 * backwards and stops at the first match.
 */
const lastAnswered =
  (sql: SqlClient): Store["lastAnswered"] =>
  (userId, connections) => {
    if (connections.length === 0) return Effect.succeed(new Map())
    return sql`SELECT asked.connection_id, last.at
               FROM unnest(
                 ${connections.map((one) => one.connectionId)}::text[],
                 ${connections.map((one) => one.appId)}::text[],
                 ${connections.map((one) => Rows.nullableAt(one.until))}::timestamptz[]
               ) AS asked (connection_id, app_id, until)
               CROSS JOIN LATERAL (
                 SELECT at FROM access_log
                 WHERE user_id = ${userId} AND app_id = asked.app_id AND connection_id = asked.connection_id
                   AND error IS NULL AND at <= coalesce(asked.until, 'infinity')
                   AND endpoint NOT LIKE ALL(${OF_DEVELOPER}::text[])
                 ORDER BY at DESC LIMIT 1
               ) AS last`.pipe(
      Rows.all(LastRow),
      Effect.map((rows) => new Map(rows.map((row) => [row.connection_id, row.at]))),
      orStoreError
    )
  }
