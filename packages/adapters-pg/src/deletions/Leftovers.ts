import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { AccountDeletion } from "@place-access/domain/deletions"
import { ConnectionId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import * as ConnectionWrites from "../connection/ConnectionWrites.js"
import * as Rows from "../driver/Rows.js"

const TableRow = Schema.Struct({ name: Schema.String, key: Schema.Array(Schema.String) })
type Table = typeof TableRow.Type

/**
 * Tables that the loop of `remove` leaves out. The row of `account_deletions` stays until nothing else of the account
 * is left. Events and connections are needed to find rows of other tables (`removeEvents`, `removeConnections`).
 */
const APART: ReadonlySet<string> = new Set(["account_deletions", "events", "connections"])

/**
 * Reads from the catalog every table whose primary key begins with `user_id`, except `accounts`. So `remove` also
 * covers a table that a later migration adds.
 */
const peoplesTables = (sql: SqlClient) =>
  sql`SELECT t.relname AS name, k.columns AS key
      FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid CROSS JOIN LATERAL (
        SELECT array_agg(a.attname::text ORDER BY k.position) AS columns
        FROM unnest(x.indkey) WITH ORDINALITY AS k (attribute, position)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attribute
      ) k
      WHERE x.indisprimary AND NOT t.relispartition AND pg_table_is_visible(t.oid) AND k.columns[1] = 'user_id'
        AND t.relname <> 'accounts'
      ORDER BY t.relname`.pipe(Rows.all(TableRow))

const TracedRow = Schema.Struct({ event_id: Schema.String, app_id: Schema.String, is_settled: Schema.Boolean })
const DeliveryKey = Schema.Struct({ app_id: Schema.String, delivery_id: Schema.String })
const ConnectionKey = Schema.Struct({ connection_id: Schema.String })
const AppsRow = Schema.Struct({ app_ids: Schema.Array(Schema.String) })

/**
 * Deletes rows that a deleted account left behind. Returns how many rows it deleted or changed, not counting rows that
 * are deleted together with another row (attempts, routes, rows of an app). From each table of `peoplesTables` it
 * deletes at most `limit` rows. An event is deleted after its deliveries, and a connection after its route, because
 * only the event and the connection say where their deliveries and route are. Apart from `endConnections`, each
 * statement commits by itself.
 */
export const remove = (
  sql: SqlClient,
  userId: UserId,
  now: Timestamp.Timestamp,
  limit: number
): Effect.Effect<number, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    const some = ({ key, name }: Table) => {
      const columns = sql.literal(key.join(", "))
      return Rows.affected(
        sql`WITH these AS MATERIALIZED (
              SELECT ${columns} FROM ${sql(name)} WHERE user_id = ${userId} LIMIT ${limit})
            DELETE FROM ${sql(name)} WHERE user_id = ${userId} AND (${columns}) IN (SELECT ${columns} FROM these)`
      )
    }
    let removed = 0
    for (const table of yield* peoplesTables(sql)) if (!APART.has(table.name)) removed += yield* some(table)

    removed += yield* removeEvents(sql, userId, now, limit)
    removed += yield* removeConnections(sql, userId, limit)
    return removed > 0 ? removed : yield* removeMentions(sql, userId, now, limit)
  })

/**
 * Deletes events of a deleted account. The deliveries of an event, and its rows in `listener_events`, are found by the
 * event, so they are deleted first. They are on the shards of the apps, so each table needs a separate statement. An
 * event stays for a minute after its fan-out (without a fan-out: after it was stored), because a worker may still be
 * storing the event's deliveries. A replay in flight has locked another delivery of the event, and the deletion of that
 * delivery waits for the replay's end.
 */
const removeEvents = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp, limit: number) =>
  Effect.gen(function* () {
    const settled = Rows.at(now - Timestamp.MINUTE)
    const events = yield* sql`SELECT event_id, app_id, coalesce(fanned_out_at, created_at) <= ${settled} AS is_settled
        FROM events WHERE user_id = ${userId} ORDER BY event_id LIMIT ${limit}`.pipe(Rows.all(TracedRow))
    if (events.length === 0) return 0
    const [apps, ids] = [events.map((row) => row.app_id), events.map((row) => row.event_id)]
    const named = sql`unnest(${apps}::text[], ${ids}::text[]) AS e (app_id, event_id)`
    const deliveries = yield* ofApps(
      sql,
      sql`SELECT d.app_id, d.delivery_id FROM deliveries d
          JOIN ${named} ON e.app_id = d.app_id AND e.event_id = d.event_id
          WHERE d.app_id = ANY(${apps}::text[]) LIMIT ${limit}`
    )
    // A row of `listener_events` is normally deleted after a few seconds. A server that crashed may have left rows.
    const listenerRows = yield* Rows.affected(
      sql`DELETE FROM listener_events w USING ${named}
          WHERE w.app_id = e.app_id AND w.event_id = e.event_id AND w.app_id = ANY(${apps}::text[])`
    )
    // When deliveries were deleted, other deliveries may be left: more than `limit`, or a replay that was stored while
    // this call waited for the lock of the original delivery. Then the events stay, because the next call needs them to
    // find these deliveries.
    if (deliveries > 0) return deliveries + listenerRows
    const gone = events.filter((row) => row.is_settled).map((row) => row.event_id)
    return (
      listenerRows +
      (yield* Rows.affected(sql`DELETE FROM events WHERE user_id = ${userId} AND event_id = ANY(${gone}::text[])`))
    )
  })

/** Deletes the routes of the connections first, because a route can be found only by the id of its connection. */
const removeConnections = (sql: SqlClient, userId: UserId, limit: number) =>
  Effect.gen(function* () {
    const connections = yield* sql`SELECT connection_id FROM connections WHERE user_id = ${userId} LIMIT ${limit}`.pipe(
      Rows.all(ConnectionKey)
    )
    if (connections.length === 0) return 0
    const ids = connections.map((row) => row.connection_id)
    yield* sql`DELETE FROM connection_routes WHERE connection_id = ANY(${ids}::text[])`
    return yield* Rows.affected(
      sql`DELETE FROM connections WHERE user_id = ${userId} AND connection_id = ANY(${ids}::text[])`
    )
  })

/**
 * Deletes the consent requests that the account decided, replaces its id by `NOBODY` in reviews and in the audit log,
 * and deletes its apps that were not in production. These statements read tables that all users share, so they run only
 * when `remove` found nothing else to delete.
 */
const removeMentions = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp, limit: number) =>
  Effect.gen(function* () {
    const requests = yield* Rows.affected(sql`DELETE FROM consent_requests WHERE decided_by = ${userId}`)
    // Removes the id of the reviewer or actor. The decision and its reason stay, and so do the events of the audit log.
    const decisions = yield* Rows.affected(
      sql`UPDATE review_decisions SET decided_by = ${AccountDeletion.NOBODY.id} WHERE decided_by = ${userId}`
    )
    const acts = yield* Rows.affected(
      sql`UPDATE audit_events SET actor_id = ${AccountDeletion.NOBODY.id} WHERE actor_id = ${userId}`
    )
    return requests + decisions + acts + (yield* removeApps(sql, userId, now, limit))
  })

/**
 * Deletes the deliveries that the statement selects, and their attempts. Returns the number of deleted deliveries.
 * Because of the condition on `app_id`, Citus asks only the shards of these apps.
 */
const ofApps = (sql: SqlClient, deliveries: Statement<object>) =>
  Effect.gen(function* () {
    const rows = yield* deliveries.pipe(Rows.all(DeliveryKey))
    if (rows.length === 0) return 0
    const [apps, ids] = [rows.map((row) => row.app_id), rows.map((row) => row.delivery_id)]
    const from = (table: string) =>
      Rows.affected(
        sql`DELETE FROM ${sql(table)} t USING unnest(${apps}::text[], ${ids}::text[]) AS d (app_id, delivery_id)
            WHERE t.app_id = d.app_id AND t.delivery_id = d.delivery_id AND t.app_id = ANY(${apps}::text[])`
      )
    yield* from("delivery_attempts")
    return yield* from("deliveries")
  })

/**
 * Deletes the account's apps that were not in production. Each call deletes one page of their deliveries; the
 * call that finds no delivery deletes the apps. Before it deletes the apps, it ends the connections that other people
 * have to them: the service reads a connection together with its app, so without the app it could not find or end the
 * connection.
 */
const removeApps = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp, limit: number) =>
  Effect.gen(function* () {
    const rows = yield* sql`SELECT app_ids FROM account_deletions WHERE user_id = ${userId}`.pipe(Rows.all(AppsRow))
    const theirs = rows.flatMap((row) => row.app_ids)
    if (theirs.length === 0) return 0
    const removed = yield* ofApps(
      sql,
      sql`SELECT app_id, delivery_id FROM deliveries WHERE app_id = ANY(${theirs}::text[]) LIMIT ${limit}`
    )
    if (removed > 0) return removed
    yield* endConnections(sql, theirs, now)
    for (const table of ["review_decisions", "app_calls", "app_hours", "endpoint_hours"]) {
      yield* sql`DELETE FROM ${sql(table)} WHERE app_id = ANY(${theirs}::text[])`
    }
    yield* sql`DELETE FROM consent_requests WHERE app_id = ANY(${theirs}::text[])`
    return yield* Rows.affected(sql`DELETE FROM apps WHERE app_id = ANY(${theirs}::text[])`)
  })

const LiveRow = Schema.Struct({ user_id: UserId, connection_id: ConnectionId })

/**
 * Ends the live connections of these apps, each in its own transaction, because two connections may be on different
 * nodes of a cluster.
 */
const endConnections = (sql: SqlClient, apps: ReadonlyArray<string>, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const live = yield* sql`SELECT user_id, connection_id FROM connections
        WHERE app_id = ANY(${apps}::text[]) AND ended_at IS NULL`.pipe(Rows.all(LiveRow))
    const writes = ConnectionWrites.make(sql)
    for (const { connection_id: id, user_id: userId } of live) {
      yield* sql.withTransaction(writes.all({ userId, id }, [{ _tag: "End", reason: "admin_revoked", at: now }], now))
    }
  })
