import { SqlClient } from "@effect/sql/SqlClient"
import { Bucket } from "@place-access/domain/leases"
import { EventId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { waitingEvents } from "../../src/deliveries/pendingEvents.js"
import { marking } from "../../src/deliveries/SqlEventStore.js"
import { nextEvents } from "../../src/sweeps/SqlRetentionStore.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, nodes } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const WAITING = 5_000
const MARKED = 200
const READ = 200

/**
 * Inserts `WAITING` events that wait for their fan-out. All have the same times; their ids are numbered from `from` on.
 */
const fill = (sql: SqlClient, from = 1) =>
  sql`INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, created_at, fan_out_due_at)
      SELECT 'usr_' || i % 100, 'evt_' || i, 'con_1', 'app_1', '{}', now(), now(), now()
      FROM generate_series(${from}::integer, ${from + WAITING - 1}::integer) i`

/** Returns how many rows of `events` each step of the plan read, including the rows that it discarded. */
const looksOf = (root: Parameters<typeof nodes>[0]) =>
  nodes(root)
    .filter((node) => node["Relation Name"] === "events" && node["Node Type"] !== "ModifyTable")
    .map((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"])

/**
 * Runs on a single server only, because the test reads the query plan. On a cluster, the coordinator's plan shows only
 * which nodes it asks, and not how the nodes read their tables.
 */
describePg("plans", "what it costs to mark events of the outbox as fanned out", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "does not grow with what waits there, also before the planner has heard of it (%s)",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`DELETE FROM events`
          yield* fill(sql)
          const events = Array.from({ length: MARKED }, (_, i) => ({
            userId: UserId.make(`usr_${(i + 1) % 100}`),
            id: EventId.make(`evt_${i + 1}`)
          }))
          const root = yield* explained(sql, marking(sql, events, yield* Timestamp.now), mode)
          expect(Math.max(...looksOf(root))).toBe(MARKED)
          const [left] = yield* sql`SELECT count(*)::integer AS count FROM events WHERE fanned_out_at IS NULL`
          expect(left).toEqual({ count: WAITING - MARKED })
        })
      )
  )
})

describePg("plans", "what it costs to read the outbox", () => {
  const run = withStores(migratedPostgres, Layer.empty)
  const LATER = Timestamp.make(Date.UTC(2100, 0))

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "does not grow with what waits there, whatever the planner has heard of it (%s)",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const request = { buckets: Bucket.ALL, limit: READ, now: LATER, except: [] }
          const looks = Effect.map(explained(sql, waitingEvents(sql, request), mode), (root) =>
            Math.max(...looksOf(root))
          )
          yield* sql`DELETE FROM events`
          yield* fill(sql)
          expect(yield* looks, "a table that was never analysed").toBe(READ)
          yield* sql`ANALYZE events`
          expect(yield* looks, "a backlog that the planner knows").toBe(READ)
          yield* sql`UPDATE events SET fanned_out_at = now()`
          yield* sql`ANALYZE events`
          yield* fill(sql, WAITING + 1)
          expect(yield* looks, "a backlog that came after an empty outbox").toBe(READ)
        })
      )
  )
})

describePg("plans", "what it costs to sweep the outbox", () => {
  const run = withStores(migratedPostgres, Layer.empty)
  const FIRST = Timestamp.make(Date.UTC(2026, 0))
  const until = Timestamp.plus(FIRST, WAITING)

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "a step reads its own events, however many events before it stay (%s) [sweeps-2]",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`DELETE FROM events`
          yield* fill(sql)
          yield* sql`UPDATE events SET fanned_out_at = ${new Date(FIRST)}::timestamptz
                       + split_part(event_id, '_', 2)::integer * interval '1 millisecond'`
          yield* sql`ANALYZE events`
          for (const passed of [0, WAITING / 2, WAITING - READ]) {
            const place = { fannedOutAt: Timestamp.plus(FIRST, passed), userId: UserId.make("usr_zzz") }
            const after = passed === 0 ? undefined : { ...place, id: EventId.make("evt_1") }
            const root = yield* explained(sql, nextEvents(sql, until, READ, after), mode)
            // PostgreSQL may read two more events than the page has: the event `after`, and the event that follows the
            // page. The following event has a later time, which shows that the page has all events of its last time and
            // that PostgreSQL can sort them.
            expect(Math.max(...looksOf(root)), `after ${passed} events`).toBeLessThanOrEqual(READ + 2)
          }
        })
      )
  )
})
