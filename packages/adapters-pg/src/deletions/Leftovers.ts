import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { AccountDeletion } from "@place-access/domain/deletions"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import * as Rows from "../Rows.js"

const TableRow = Schema.Struct({ name: Schema.String, key: Schema.Array(Schema.String) })
type Table = typeof TableRow.Type

/** Removed in a way of their own: what remains to do, and what leads to rows of apps. */
const APART: ReadonlySet<string> = new Set(["account_deletions", "events", "connections"])

/** Every table that holds people's rows, from the catalogue: one that is added later cannot be forgotten. */
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

const EVENTS: Table = { name: "events", key: ["user_id", "event_id"] }

/**
 * Removes at most `limit` rows of each table of what a deleted account left, and answers how many in all. What leads to other rows
 * goes after them. Each statement commits by itself.
 */
export const remove = (
  sql: SqlClient,
  userId: UserId,
  now: Timestamp.Timestamp,
  limit: number
): Effect.Effect<number, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    const some = ({ key, name }: Table, only: Fragment = sql`true`) => {
      const columns = sql.literal(key.join(", "))
      return Rows.affected(
        sql`WITH these AS MATERIALIZED (
              SELECT ${columns} FROM ${sql(name)} WHERE user_id = ${userId} AND ${only} LIMIT ${limit})
            DELETE FROM ${sql(name)} WHERE user_id = ${userId} AND (${columns}) IN (SELECT ${columns} FROM these)`
      )
    }
    let removed = 0
    for (const table of yield* peoplesTables(sql)) if (!APART.has(table.name)) removed += yield* some(table)

    // Deliveries are their app's and are found by the events that they tell, and so is what waits for listeners.
    removed += yield* ofApps(
      sql,
      sql`SELECT d.app_id, d.delivery_id FROM events e JOIN deliveries d ON d.app_id = e.app_id AND d.event_id = e.event_id
          WHERE e.user_id = ${userId} LIMIT ${limit}`
    )
    // What waits for developers who listen lives for seconds; of a server that died it may be there still.
    removed += yield* Rows.affected(
      sql`WITH these AS MATERIALIZED (
            SELECT w.app_id, w.listener_id, w.event_id
            FROM events e JOIN listener_events w ON w.app_id = e.app_id AND w.event_id = e.event_id
            WHERE e.user_id = ${userId} LIMIT ${limit})
          DELETE FROM listener_events
          WHERE (app_id, listener_id, event_id) IN (SELECT app_id, listener_id, event_id FROM these)`
    )
    const settled = Rows.at(now - Timestamp.MINUTE)
    removed += yield* some(
      EVENTS,
      sql`coalesce(fanned_out_at, created_at) <= ${settled} AND NOT EXISTS (
            SELECT 1 FROM deliveries d WHERE d.app_id = events.app_id AND d.event_id = events.event_id)
          AND NOT EXISTS (
            SELECT 1 FROM listener_events w WHERE w.app_id = events.app_id AND w.event_id = events.event_id)`
    )

    removed += yield* Rows.affected(
      sql`WITH old AS MATERIALIZED (
            SELECT connection_id FROM connections WHERE user_id = ${userId} LIMIT ${limit}
          ), routes AS (
            DELETE FROM connection_routes WHERE connection_id IN (SELECT connection_id FROM old)
          )
          DELETE FROM connections WHERE user_id = ${userId} AND connection_id IN (SELECT connection_id FROM old)`
    )
    return removed > 0 ? removed : yield* removeMentions(sql, userId, limit)
  })

/** The rest is looked for once, at the end: it is found by reading tables that all share. */
const removeMentions = (sql: SqlClient, userId: UserId, limit: number) =>
  Effect.gen(function* () {
    const requests = yield* Rows.affected(sql`DELETE FROM consent_requests WHERE decided_by = ${userId}`)
    // Who decided is nobody's business any more; that and why somebody did stays.
    const decisions = yield* Rows.affected(
      sql`UPDATE review_decisions SET decided_by = ${AccountDeletion.NOBODY.id} WHERE decided_by = ${userId}`
    )
    return requests + decisions + (yield* removeApps(sql, userId, limit))
  })

const ofApps = (sql: SqlClient, deliveries: Fragment) =>
  Rows.affected(
    sql`WITH old AS MATERIALIZED (${deliveries}), attempts AS (
          DELETE FROM delivery_attempts WHERE (app_id, delivery_id) IN (SELECT app_id, delivery_id FROM old))
        DELETE FROM deliveries WHERE (app_id, delivery_id) IN (SELECT app_id, delivery_id FROM old)`
  )

/** Apps that nobody else ever could connect, once their developer's own connections are gone. */
const removeApps = (sql: SqlClient, userId: UserId, limit: number) =>
  Effect.gen(function* () {
    const theirs = sql`SELECT unnest(app_ids) FROM account_deletions WHERE user_id = ${userId}`
    const removed = yield* ofApps(
      sql,
      sql`SELECT app_id, delivery_id FROM deliveries WHERE app_id IN (${theirs}) LIMIT ${limit}`
    )
    if (removed > 0) return removed
    yield* sql`DELETE FROM review_decisions WHERE app_id IN (${theirs})`
    yield* sql`DELETE FROM consent_requests WHERE app_id IN (${theirs})`
    return yield* Rows.affected(sql`DELETE FROM apps WHERE app_id IN (${theirs})`)
  })
