import { SqlAccountStore, SqlAppStore, SqlDeliveryStore, SqlEndpointStore } from "@place-access/adapters-pg"
import { Delivery, DeliveryStore } from "@place-access/domain/deliveries"
import type { WebhookEndpoint } from "@place-access/domain/endpoints"
import { Timestamp } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Option, TestClock } from "effect"
import pg from "pg"
import { expect, it, vi } from "vitest"
import { writing } from "@place-access/adapters-pg/deliveries/finishStatement"
import { migratedOn, migratedPostgres, withStores } from "../support/contracts.js"
import { explained, nodes } from "../support/plans.js"
import { waits } from "../support/waits.js"
import { describePg, describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlEndpointStore.layer, SqlDeliveryStore.layer)

const { claim, draft, endpoint, endpointNow, found, insert, insertMany, of, withEndpoints } = WebhookFixtures
const MINUTE = Timestamp.MINUTE

const arrived = (at: Timestamp.Timestamp): Delivery.DeliveryFinish => ({ _tag: "Delivered", at })
const again = (now: Timestamp.Timestamp): Delivery.DeliveryFinish => ({
  _tag: "Retry",
  attempt: 2,
  dueAt: Timestamp.plus(now, MINUTE)
})

/**
 * Results of deliveries that one statement can store together. The tests give the first result to the first delivery,
 * the second result to the second delivery, and so on.
 */
const ways = (now: Timestamp.Timestamp): ReadonlyArray<Delivery.DeliveryFinish> => [
  arrived(now),
  again(now),
  { _tag: "Failed", at: now, reason: "not_authorised" },
  { _tag: "TooOld", at: now },
  { _tag: "Postponed", dueAt: Timestamp.plus(now, 5_000), faultsSince: now }
]

const row = (how: Delivery.DeliveryFinish, n: number, now: Timestamp.Timestamp): Delivery.Attempt | null =>
  how._tag === "Delivered" || how._tag === "Retry"
    ? {
        attempt: 1,
        startedAt: now,
        endedAt: Timestamp.plus(now, n),
        status: how._tag === "Delivered" ? 200 + (n % 5) : null,
        error: how._tag === "Delivered" ? null : `refused {"${n}",NULL}`,
        snippet: how._tag === "Delivered" ? `answer \\ "${n}" {,}` : null
      }
    : null

describeServers("deliveries that end at the same time", (server) => {
  const run = withStores(migratedOn(server), stores)

  const strikesOf = (endpoint: WebhookEndpoint.WebhookEndpoint) =>
    Effect.map(endpointNow(endpoint), (one) => one.strikes)

  /** Sets the strikes of an endpoint. Without this function, a test would need a series of failures. */
  const strike = (endpoint: WebhookEndpoint.WebhookEndpoint, strikes: number) =>
    Effect.flatMap(
      SqlClient,
      (sql) => sql`UPDATE endpoints SET strikes = ${strikes}
                   WHERE app_id = ${endpoint.appId} AND endpoint_id = ${endpoint.id}`
    )

  it("a first attempt locks its endpoint before it marks its event, in the order in which an account is deleted [errors-2]", () =>
    run(
      withEndpoints((one) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const store = yield* DeliveryStore
          const now = yield* Timestamp.now
          const first = yield* draft(one)
          const { envelope, userId } = first
          yield* sql`INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, created_at, fan_out_due_at)
            VALUES (${userId}, ${envelope.eventId}, ${envelope.grantId}, ${one.appId}, '{}', now(), now(), now())`
          yield* strike(one, 3)
          const hasLocked = yield* Effect.makeLatch()
          const deletion = sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT 1 FROM endpoints WHERE app_id = ${one.appId} AND endpoint_id = ${one.id} FOR UPDATE`
              yield* hasLocked.open
              yield* Effect.repeat(waits(sql), { until: (waiting) => waiting })
              // This statement fails if the attempt has locked the event. With that lock, the two transactions would
              // wait for each other.
              yield* sql`SELECT 1 FROM events WHERE user_id = ${userId} AND event_id = ${envelope.eventId}
                         FOR UPDATE NOWAIT`
            })
          )
          const attempt = Effect.zipRight(hasLocked.await, store.insertAttempted(first, arrived(now), null, true))
          const [, { isStored }] = yield* Effect.all([deletion, attempt], { concurrency: "unbounded" })
          expect([isStored, yield* strikesOf(one)]).toEqual([true, 0])
        })
      )
    ))

  it("each moves as `Delivery.move` says and logs its own attempt, whatever way the others end; a lost lease and a second end get an error that says so", () =>
    run(
      withEndpoints((one, two) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          const lost = yield* insertMany(one, 3)
          const stale = of(yield* claim(), one)
          expect(stale.map(({ delivery }) => delivery.id).sort()).toEqual(lost.map(({ id }) => id).sort())
          yield* TestClock.adjust(Delivery.LEASE)
          yield* insertMany(one, 20)
          yield* insertMany(two, 20)
          const all = yield* claim()
          const held = [...of(all, one), ...of(all, two)]
          expect(held.length).toBe(43)
          const now = yield* Timestamp.now
          const ended = held.map((claimed, n) => {
            const how = ways(now)[n % 5] ?? arrived(now)
            return { claimed, how, attempt: row(how, n, now) }
          })
          const end = ({ claimed: { delivery, lease }, how, attempt }: (typeof ended)[number]) =>
            store.finish({ appId: delivery.appId, id: delivery.id, lease }, how, attempt)
          const late = stale.map((claimed) => ({ claimed, how: arrived(now), attempt: row(arrived(now), 0, now) }))
          const together = (many: typeof ended) => Effect.forEach(many, end, { concurrency: "unbounded" })
          expect(yield* together(late)).toEqual([false, false, false])
          const [answers, twice] = yield* Effect.all([ended, ended.slice(0, 5)].map(together), {
            concurrency: "unbounded"
          })
          expect(answers).toEqual(ended.map(() => true))
          expect(twice).toEqual([false, false, false, false, false])
          for (const { attempt, claimed, how } of ended) {
            const { appId, id } = claimed.delivery
            const found = Option.getOrThrow(yield* store.find(appId, id))
            expect(found.delivery).toEqual(Delivery.move(claimed.delivery, how))
            expect(found.attempts).toEqual(attempt === null ? [] : [attempt])
          }
        })
      )
    ))

  it("share statements: 40 at once take two at most", () =>
    run(
      withEndpoints((one, two) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          const query = vi.spyOn(pg.Client.prototype, "query")
          yield* Effect.addFinalizer(() => Effect.sync(() => query.mockRestore()))
          yield* insertMany(one, 20)
          yield* insertMany(two, 20)
          const held = of(yield* claim(), one, two)
          expect(held.length).toBe(40)
          const now = yield* Timestamp.now
          query.mockClear()
          yield* Effect.forEach(
            held,
            ({ delivery: { appId, id }, lease }, n) => {
              const how = ways(now)[n % 5] ?? arrived(now)
              return store.finish({ appId, id, lease }, how, row(how, n, now))
            },
            { concurrency: "unbounded" }
          )
          expect(query.mock.calls.length).toBeLessThanOrEqual(2)
        }).pipe(Effect.scoped)
      )
    ))

  it("arrivals forget the strikes of their own endpoints and of no other, unless they are replays, tests, hurried or of an earlier epoch", () =>
    run(
      withEndpoints((one, two, three) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          const [tested, hurried] = [yield* endpoint(one.appId), yield* endpoint(one.appId)]
          const all = [one, two, three, tested, hurried]
          for (const to of all) {
            yield* to === two ? Effect.replicateEffect(insert(two, { replayNo: 1 }), 4) : insertMany(to, 4)
          }
          const sql = yield* SqlClient
          yield* sql`UPDATE deliveries SET is_test = true WHERE endpoint_id = ${tested.id}`
          yield* sql`UPDATE deliveries SET is_hurried = true WHERE endpoint_id = ${hurried.id}`
          const claims = yield* claim()
          yield* sql`UPDATE endpoints SET epoch = epoch + 1 WHERE app_id = ${three.appId} AND endpoint_id = ${three.id}`
          for (const to of all) yield* strike(to, 7)
          const now = yield* Timestamp.now
          const how = arrived(now)
          const held = all.flatMap((to) => of(claims, to))
          expect(held.length).toBe(20)
          yield* Effect.forEach(
            held,
            ({ delivery: { appId, id }, lease }, n) => store.finish({ appId, id, lease }, how, row(how, n, now)),
            { concurrency: "unbounded" }
          )
          expect(yield* Effect.forEach(all, strikesOf)).toEqual([0, 7, 7, 7, 7])
        })
      )
    ))

  it("a retry among them of a row whose endpoint was disabled or removed meanwhile ends it, and says which", () =>
    run(
      withEndpoints((one, two, three) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          for (const to of [one, two, three]) yield* insertMany(to, 4)
          const claims = yield* claim()
          const sql = yield* SqlClient
          yield* sql`UPDATE endpoints SET epoch = epoch + 1, disabled_at = now() WHERE app_id = ${one.appId} AND endpoint_id = ${one.id}`
          yield* sql`DELETE FROM endpoints WHERE app_id = ${two.appId} AND endpoint_id = ${two.id}`
          const now = yield* Timestamp.now
          const how = again(now)
          const held = [one, two, three].flatMap((to) => of(claims, to))
          yield* Effect.forEach(
            held,
            ({ delivery: { appId, id }, lease }, n) => store.finish({ appId, id, lease }, how, row(how, n, now)),
            { concurrency: "unbounded" }
          )
          const states = yield* Effect.forEach(held, ({ delivery }) =>
            Effect.map(found(delivery), (one) => [one.delivery.state, one.delivery.failReason])
          )
          const four = (state: string, reason: string | null) => Array.from({ length: 4 }, () => [state, reason])
          expect(states).toEqual([
            ...four("failed", "endpoint_disabled"),
            ...four("failed", "endpoint_removed"),
            ...four("trying", null)
          ])
        })
      )
    ))

  it("one that was hurried no longer is after its next attempt, and still is when it was only postponed", () =>
    run(
      withEndpoints((one) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          yield* insertMany(one, 10)
          const sql = yield* SqlClient
          yield* sql`UPDATE deliveries SET is_hurried = true WHERE endpoint_id = ${one.id}`
          const held = of(yield* claim(), one)
          expect(held.length).toBe(10)
          expect(held.every(({ delivery }) => delivery.isHurried)).toBe(true)
          const now = yield* Timestamp.now
          const hows = held.map((_, n) => ways(now)[n % 5] ?? arrived(now))
          yield* Effect.forEach(
            held,
            ({ delivery: { appId, id }, lease }, n) =>
              store.finish({ appId, id, lease }, hows[n] ?? arrived(now), row(hows[n] ?? arrived(now), n, now)),
            { concurrency: "unbounded" }
          )
          const hurried = yield* Effect.forEach(held, ({ delivery }) =>
            Effect.map(found(delivery), (one) => one.delivery.isHurried)
          )
          expect(hurried).toEqual(hows.map((how) => how._tag !== "Retry"))
          expect(hurried).toEqual(
            held.map(({ delivery }, n) => Delivery.move(delivery, hows[n] ?? arrived(now)).isHurried)
          )
        })
      )
    ))
})

/**
 * Runs on a single server only, because the test reads the query plan. On a cluster, the coordinator's plan shows only
 * which nodes it asks, and not how the nodes read their tables.
 */
describePg("plans", "the plan of deliveries that end at the same time", () => {
  const run = withStores(migratedPostgres, stores)

  it("are found by index, however many there are beside them and whatever the statement is planned for", () =>
    run(
      withEndpoints((one) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const rows = yield* insertMany(one, 60)
          const now = yield* Timestamp.now
          const finished = rows.map(({ appId, id }) => ({
            held: { appId, id, lease: "lse_1" },
            how: arrived(now),
            attempt: row(arrived(now), 1, now),
            now
          }))
          for (const beside of [0, 400, 4_000]) {
            yield* sql`INSERT INTO deliveries SELECT r.* FROM deliveries d, generate_series(1, ${beside}::integer) i
              CROSS JOIN LATERAL jsonb_populate_record(
                d, jsonb_build_object('delivery_id', d.delivery_id || ${beside}::text || i,
                                      'event_id', d.event_id || ${beside}::text || i)) r
              WHERE d.delivery_id = ${rows[0]?.id}`
            yield* sql`ANALYZE deliveries`
            for (const mode of ["force_custom_plan", "force_generic_plan"] as const) {
              yield* sql`DELETE FROM delivery_attempts`
              yield* sql`UPDATE deliveries SET lease = 'lse_1', state = 'trying', due_at = created_at, ended_at = NULL
                         WHERE delivery_id = ANY(${rows.map(({ id }) => id)}::text[])`
              const plan = nodes(yield* explained(sql, writing(sql, one.appId, finished), mode))
              const scans = plan.filter(
                (node) => node["Relation Name"] === "deliveries" && node["Node Type"].endsWith(" Scan")
              )
              expect({ beside, mode, scans: scans.map((node) => node["Node Type"]) }).toEqual({
                beside,
                mode,
                scans: ["Index Scan", "Index Scan"]
              })
            }
          }
        })
      )
    ))
})
