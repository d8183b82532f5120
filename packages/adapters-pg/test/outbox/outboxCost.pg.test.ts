import { SqlClient } from "@effect/sql/SqlClient"
import { Bucket } from "@place-access/domain/leases"
import { EventId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { waitingWithAhead } from "../../src/outbox/readAhead.js"
import { marking } from "../../src/deliveries/changeWaiting.js"
import { nextEvents } from "../../src/sweeps/SqlRetentionStore.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, type Node, nodes, readsOf, rowsRead } from "../support/plans.js"
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

const looksOf = (root: Node) => readsOf(root, "events")

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
          const looks = Effect.map(explained(sql, waitingWithAhead(sql, request), mode), (root) =>
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

describePg("plans", "what it costs to read ahead", () => {
  const run = withStores(migratedPostgres, Layer.empty)
  const LATER = Timestamp.make(Date.UTC(2100, 0))
  const PEOPLE = 5_000
  /** The rows that the plan read in all tables except the outbox, including the rows that it discarded. */
  const readElsewhere = (root: Node) =>
    nodes(root)
      .filter((node) => node["Relation Name"] !== undefined && node["Relation Name"] !== "events")
      .reduce((sum, node) => sum + rowsRead(node), 0)

  /** Connects `PEOPLE` people with an app that has an endpoint. */
  const people = (sql: SqlClient) =>
    Effect.forEach(
      [
        `INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
         SELECT 'usr_' || n, n || '@example.com', 'Person', '-', '{}', now() FROM generate_series(0, ${PEOPLE}) AS n`,
        `INSERT INTO apps (app_id, owner_id, name, description, declared_scopes, redirect_uris, client_secrets, status,
                           created_at)
         VALUES ('app_1', 'usr_0', 'App', 'An app', '{}', '{}', '[]', 'production', now())`,
        `INSERT INTO endpoints (app_id, endpoint_id, url, events, description, epoch, strikes, secrets, headers, created_at)
         VALUES ('app_1', 'ep_1', 'https://hooks.example.com/', '{}', NULL, 0, 0, '[]', '[]', now())`,
        `INSERT INTO connections (user_id, connection_id, app_id, sub, held_scopes, places_version, standard_expires_at,
                                  connected_at, family_id)
         SELECT 'usr_' || n, 'con_' || n, 'app_1', 'sub_' || n, '{}', 1, now(), now(), 'fam_' || n
         FROM generate_series(0, ${PEOPLE}) AS n`,
        `INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at)
         SELECT 'usr_' || n, 'plc_' || n, 'Home', 'home', 52, 4, 150, 1, now() FROM generate_series(0, ${PEOPLE}) AS n`,
        `INSERT INTO connection_places (user_id, connection_id, place_id, shared_at, include_earlier_visits)
         SELECT 'usr_' || n, 'con_' || n, 'plc_' || n, now(), true FROM generate_series(0, ${PEOPLE}) AS n`,
        `INSERT INTO rules (user_id, rule_id, connection_id, app_id, type, place_id, created_at)
         SELECT 'usr_' || n, 'rul_' || n, 'con_' || n, 'app_1', 'enter', 'plc_' || n, now()
         FROM generate_series(0, ${PEOPLE}) AS n`,
        `INSERT INTO subscriptions (user_id, subscription_id, connection_id, app_id, url, secret, created_at)
         SELECT 'usr_' || n, 'sbs_' || n, 'con_' || n, 'app_1', 'https://hooks.example.com/', 'x', now()
         FROM generate_series(200, ${PEOPLE}) AS n`
      ],
      (text) => sql.unsafe(text)
    )

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "a few rows for each of few events, however many people there are, and nothing with a backlog (%s) [deliveries-18]",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const request = { buckets: Bucket.ALL, limit: READ, now: LATER, except: [] }
          const read = Effect.map(explained(sql, waitingWithAhead(sql, request), mode), readElsewhere)
          for (const table of ["subscriptions", "rules", "connection_places", "places"])
            yield* sql`DELETE FROM ${sql(table)}`
          yield* sql`DELETE FROM connections`
          yield* sql`DELETE FROM endpoints`
          yield* sql`DELETE FROM apps`
          yield* sql`DELETE FROM accounts`
          yield* sql`DELETE FROM events`
          yield* people(sql)
          yield* fill(sql)
          yield* sql`UPDATE events SET connection_id = 'con_' || substr(user_id, 5),
                                       payload = jsonb_build_object('ruleId', 'rul_' || substr(user_id, 5))`
          yield* sql`ANALYZE`
          expect(yield* read, "with a backlog: the account and the app of each event, for suspensions").toBe(2 * READ)
          yield* sql`DELETE FROM events WHERE event_id > 'evt_1001'`
          const [left] = yield* sql`SELECT count(*)::integer AS count FROM events`
          expect(left).toEqual({ count: 5 })
          expect(yield* read, "few events").toBeLessThanOrEqual(5 * 13)
        })
      )
  )
})

/** PostgreSQL compiles an expensive statement before it runs it (`jit_above_cost`), which takes a second. */
describePg("plans", "what the planner expects a read of the outbox to cost", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "does not grow with a backlog that it knows (%s)",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const now = Timestamp.make(Date.UTC(2100, 0))
          const statement = waitingWithAhead(sql, { buckets: Bucket.ALL, limit: READ, now, except: [] })
          const cost = Effect.zipRight(
            sql`ANALYZE`,
            Effect.map(explained(sql, statement, mode), (root) => root["Total Cost"])
          )
          yield* sql`DELETE FROM events`
          yield* fill(sql)
          const before = yield* cost
          for (let from = WAITING + 1; from < 10 * WAITING; from += WAITING) yield* fill(sql, from)
          expect(yield* cost).toBeLessThan(2 * before)
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
            // page. The following event has a later time. So when PostgreSQL has read it, PostgreSQL knows all events
            // of the page's last time, and can sort them.
            expect(Math.max(...looksOf(root)), `after ${passed} events`).toBeLessThanOrEqual(READ + 2)
          }
        })
      )
  )
})
