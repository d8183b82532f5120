import { SqlAccountStore, SqlAppStore, SqlDeliveryStore, SqlEndpointStore } from "@place-access/adapters-pg"
import { Delivery, DeliveryStore } from "@place-access/domain/deliveries"
import { EndpointStore, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Entropy, Timestamp } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { Deferred, Effect, Fiber, Layer, Logger, LogLevel, Option, Random, TestClock } from "effect"
import { expect, it } from "vitest"
import { endWaiting } from "@place-access/adapters-pg/deliveries/endWaiting"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlEndpointStore.layer, SqlDeliveryStore.layer)

/** Runs the effects at the same time. Each effect has a separate connection, unless the pool has fewer connections. */
const together = <A, E, R>(many: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(many, { concurrency: "unbounded" })

const { claim, endpointNow, finish, found, insert, insertMany, of, withEndpoints } = WebhookFixtures

const exhausted = Effect.map(Timestamp.now, (at): Delivery.DeliveryFinish => ({
  _tag: "Failed",
  at,
  reason: "exhausted"
}))

describeServers("the queue under contention", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("several claimers never get one row twice and never exceed the bound of an endpoint", () =>
    run(
      withEndpoints((...endpoints) =>
        Effect.gen(function* () {
          const rows = (yield* Effect.forEach(endpoints, (endpoint) => insertMany(endpoint, 120))).flat()
          const seen = new Map<string, number>()
          const bound = 5
          for (let round = 0; round < 200 && seen.size < rows.length; round++) {
            const claims = of((yield* together(Array.from({ length: 6 }, () => claim(7, bound)))).flat(), ...endpoints)
            for (const { delivery } of claims) seen.set(delivery.id, (seen.get(delivery.id) ?? 0) + 1)
            for (const endpoint of endpoints) expect(of(claims, endpoint).length).toBeLessThanOrEqual(bound)
            const at = yield* Timestamp.now
            yield* together(claims.map((one) => finish(one, { _tag: "Delivered", at }, null)))
          }
          expect([...seen.values()].filter((times) => times !== 1)).toEqual([])
          expect(seen.size).toBe(rows.length)
        })
      )
    ))

  it(
    "claimers that come at the same time as inserts and finishes neither lose nor repeat a row",
    () =>
      run(
        withEndpoints((...endpoints) =>
          Effect.gen(function* () {
            const delivered: Array<string> = []
            let pending = 12
            const produce = Effect.gen(function* () {
              for (const endpoint of endpoints) yield* insertMany(endpoint, 10)
              pending--
            })
            const consume = Effect.gen(function* () {
              let idle = 0
              while (idle < 3) {
                const claims = of(yield* claim(9, 4), ...endpoints)
                idle = claims.length === 0 && pending === 0 ? idle + 1 : 0
                const at = yield* Timestamp.now
                for (const one of claims) {
                  if (yield* finish(one, { _tag: "Delivered", at }, null)) delivered.push(one.delivery.id)
                }
              }
            })
            yield* together([...Array.from({ length: 12 }, () => produce), consume, consume, consume, consume])
            expect(new Set(delivered).size).toBe(delivered.length)
            expect(delivered.length).toBe(12 * 10 * endpoints.length)
          })
        )
      ),
    60_000
  )

  it(
    "the strike counter is exact in 60 trials of ends reported three times each, at once with a replay's [§3.4-strikes]",
    () =>
      run(
        Effect.gen(function* () {
          for (let trial = 0; trial < 60; trial++) {
            yield* withEndpoints((endpoint) =>
              Effect.gen(function* () {
                const count = yield* Random.nextIntBetween(1, WebhookEndpoint.MAX_STRIKES + 4)
                yield* insertMany(endpoint, count)
                yield* WebhookFixtures.insert(endpoint, { replayNo: 1 })
                const claims = of(yield* claim(), endpoint)
                const end = yield* exhausted
                const written = yield* together(
                  claims.flatMap((one) => [one, one, one]).map((one) => finish(one, end, null))
                )
                expect(written.filter(Boolean).length).toBe(count + 1)
                const { epoch, strikes } = yield* endpointNow(endpoint)
                const limit = WebhookEndpoint.MAX_STRIKES
                expect([strikes, epoch]).toEqual([Math.min(count, limit), count >= limit ? 1 : 0])
                const warnings = yield* (yield* EndpointStore).listWarnings(1_000, undefined)
                const warned = warnings.filter(({ endpointId }) => endpointId === endpoint.id).map((one) => one.strikes)
                expect(warned.sort()).toEqual(WebhookEndpoint.WARNED_STRIKES.filter((at) => at <= count))
              })
            )
          }
        })
      ),
    120_000
  )

  it("an endpoint whose row somebody has locked holds up no other endpoint, and is claimed when it is free [deliveries-7]", () =>
    run(
      withEndpoints((locked, other) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* insertMany(locked, 3)
          yield* insertMany(other, 3)
          const [isLocked, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holder = yield* sql`SELECT 1 FROM endpoints
            WHERE app_id = ${locked.appId} AND endpoint_id = ${locked.id} FOR UPDATE`.pipe(
            Effect.zipRight(Deferred.succeed(isLocked, undefined)),
            Effect.zipRight(Deferred.await(mayEnd)),
            sql.withTransaction,
            Effect.fork
          )
          yield* Deferred.await(isLocked)
          const now = yield* Timestamp.now
          const claimAll = (lease: string) =>
            Effect.flatMap(DeliveryStore, (store) =>
              store.claim({ limit: 100, perEndpoint: 100, lease, now, leaseUntil: Timestamp.plus(now, 30_000) })
            )
          const during = yield* claimAll("lse_during")
          expect([of(during.claims, locked).length, of(during.claims, other).length]).toEqual([0, 3])
          expect(during.isSkipping).toBe(true)
          yield* Deferred.succeed(mayEnd, undefined)
          yield* Fiber.join(holder)
          const after = yield* claimAll("lse_after")
          expect([of(after.claims, locked).length, of(after.claims, other).length]).toEqual([3, 0])
          expect(after.isSkipping).toBe(false)
        })
      )
    ))

  it("an end that waits for a locked endpoint holds up no end of another app [deliveries-7]", () =>
    run(
      withEndpoints((locked) =>
        withEndpoints((other) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient
            yield* insertMany(locked, 1)
            yield* insertMany(other, 1)
            const claims = yield* claim()
            const [of1, of2] = [WebhookFixtures.first(of(claims, locked)), WebhookFixtures.first(of(claims, other))]
            // A success sets the strikes of its endpoint to zero, and needs the lock of the endpoint for that. So the
            // endpoint must have a strike.
            yield* sql`UPDATE endpoints SET strikes = 1 WHERE app_id = ${locked.appId} AND endpoint_id = ${locked.id}`
            const [isLocked, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
            const holder = yield* sql`SELECT 1 FROM endpoints
              WHERE app_id = ${locked.appId} AND endpoint_id = ${locked.id} FOR UPDATE`.pipe(
              Effect.zipRight(Deferred.succeed(isLocked, undefined)),
              Effect.zipRight(Deferred.await(mayEnd)),
              sql.withTransaction,
              Effect.fork
            )
            yield* Deferred.await(isLocked)
            const at = yield* Timestamp.now
            const waiting = yield* Effect.fork(finish(of1, { _tag: "Delivered", at }, null))
            expect(yield* finish(of2, { _tag: "Delivered", at }, null)).toBe(true)
            yield* Deferred.succeed(mayEnd, undefined)
            yield* Fiber.join(holder)
            expect(yield* Fiber.join(waiting)).toBe(true)
            expect((yield* endpointNow(locked)).strikes).toBe(0)
          })
        )
      )
    ))

  it("a worker whose lease is lost cannot finish, in either order", () =>
    run(
      Effect.gen(function* () {
        for (let trial = 0; trial < 30; trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              yield* insertMany(endpoint, 1)
              const slow = WebhookFixtures.first(of(yield* claim(), endpoint))
              yield* TestClock.adjust(Delivery.LEASE)
              const end = yield* exhausted
              const attempt: Delivery.Attempt = {
                attempt: 1,
                startedAt: slow.delivery.createdAt,
                endedAt: slow.delivery.createdAt,
                status: null,
                error: "late",
                snippet: null
              }
              const [late, taken] = yield* Effect.all([finish(slow, end, attempt), claim()], { concurrency: 2 })
              const over = of(taken, endpoint)
              // Exactly one of two things may happen. Either the late worker stores its result first, and nobody else
              // can claim the delivery. Or another worker claims the delivery first, and the late result is refused.
              expect(late).toBe(over.length === 0)
              const { delivery, attempts } = yield* found(slow.delivery)
              expect([delivery.state, attempts.length]).toEqual(late ? ["failed", 1] : ["trying", 0])
              expect((yield* endpointNow(endpoint)).strikes).toBe(late ? 1 : 0)
            })
          )
        }
      })
    ))

  it("rows that are inserted while the endpoint is being disabled do not wait without a limit", () =>
    run(
      Effect.gen(function* () {
        for (let trial = 0; trial < 20; trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              yield* insertMany(endpoint, WebhookEndpoint.MAX_STRIKES)
              const claims = of(yield* claim(), endpoint)
              const end = yield* exhausted
              yield* together([
                ...claims.map((one) => Effect.asVoid(finish(one, end, null))),
                ...Array.from({ length: 4 }, () => Effect.asVoid(insertMany(endpoint, 5)))
              ])
              expect((yield* endpointNow(endpoint)).epoch).toBe(1)
              expect(of(yield* claim(), endpoint)).toEqual([])
              const waiting = yield* (yield* DeliveryStore).list(endpoint.appId, { state: "trying" }, 100, undefined)
              expect(waiting.items).toEqual([])
            })
          )
        }
      })
    ))

  it("removing an endpoint while its rows are claimed and finished ends without a deadlock", () =>
    run(
      Effect.gen(function* () {
        for (let trial = 0; trial < 20; trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              yield* insertMany(endpoint, 20)
              const held = of(yield* claim(10), endpoint)
              yield* TestClock.adjust(Delivery.LEASE)
              const end = yield* exhausted
              const store = yield* EndpointStore
              yield* together([
                ...held.map((one) => Effect.asVoid(finish(one, end, null))),
                Effect.asVoid(claim(5)),
                Effect.asVoid(store.remove(endpoint.appId, endpoint.id))
              ])
              yield* TestClock.adjust(Delivery.LEASE)
              yield* claim()
              const waiting = yield* (yield* DeliveryStore).list(endpoint.appId, { state: "trying" }, 100, undefined)
              expect(waiting.items).toEqual([])
            })
          )
        }
      })
    ))

  it("deliveries of a later epoch than the caller read stay: the endpoint was enabled again meanwhile [deliveries-8, deliveries-11]", () =>
    run(
      withEndpoints((endpoint) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const store = yield* EndpointStore
          const { appId, epoch, id } = endpoint
          for (const disabledAt of [yield* Timestamp.now, null]) {
            yield* store.update(appId, id, (before) => ({ ...before, disabledAt, epoch: epoch + 1 }))
          }
          const row = yield* insert({ ...endpoint, epoch: epoch + 1 })
          const end = (read: number) =>
            Effect.flatMap(Timestamp.now, (now) =>
              endWaiting(sql, { appId, id, epoch: read, reason: "endpoint_disabled", now, atMost: 10 })
            )
          expect(yield* end(epoch)).toBe(0)
          expect((yield* found(row)).delivery.state).toBe("trying")
          expect(yield* end(epoch + 2)).toBe(1)
        })
      )
    ))

  it("a row that cannot be read is left to its lease and does not stop the others", () =>
    run(
      withEndpoints((endpoint, other) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const [broken] = yield* insertMany(endpoint, 1)
          const [fine] = yield* insertMany(other, 1)
          yield* sql`UPDATE deliveries SET envelope = '{"payload": {"type": "from the future"}}'
                     WHERE app_id = ${endpoint.appId} AND delivery_id = ${broken?.id ?? ""}`
          // The claim logs its failure, which this test causes on purpose. Without this log level, the log line would
          // look like an error of the test.
          const quietly = Logger.withMinimumLogLevel(LogLevel.None)
          const ids = of(yield* quietly(claim()), endpoint, other).map(({ delivery }) => delivery.id)
          expect(ids).toEqual([fine?.id])
          expect(of(yield* claim(), endpoint)).toEqual([])
        })
      )
    ))

  it("a position of another shape is refused, not run", () =>
    run(
      withEndpoints((endpoint) =>
        Effect.gen(function* () {
          const store = yield* DeliveryStore
          const answer = yield* Effect.either(store.list(endpoint.appId, {}, 10, ["x"]))
          expect(answer._tag).toBe("Left")
          expect(Option.isNone(yield* store.find(endpoint.appId, (yield* Entropy.id("dlv")) as never))).toBe(true)
        })
      )
    ))
})
