import { SqlAccountStore, SqlAppStore, SqlDeliveryStore, SqlEndpointStore } from "@place-access/adapters-pg"
import { AccountStore } from "@place-access/domain/accounts"
import { AppStore } from "@place-access/domain/apps"
import { type ClaimedDelivery, Delivery, DeliveryStore, recover } from "@place-access/domain/deliveries"
import { EndpointStore, WebhookEndpoint } from "@place-access/domain/endpoints"
import { DeliveryId, Entropy, Timestamp } from "@place-access/domain/shared"
import { MemoryWorkSignal, WebhookFixtures } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Random, TestClock } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlEndpointStore.layer, SqlDeliveryStore.layer)

/** Runs the effects at the same time. Each effect has a separate connection, unless the pool has fewer connections. */
const together = <A, E, R>(many: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(many, { concurrency: "unbounded" })

const { claim, endpointNow, finish, first, found, insert, insertMany, of, withEndpoints } = WebhookFixtures
type Endpoint = WebhookEndpoint.WebhookEndpoint

/** Adds `count` deliveries for `to`: one delivery, and `count` - 1 copies that became due an hour before it. */
const backlog = (to: Endpoint, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [like] = yield* insertMany(to, 1)
    yield* sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
                 envelope, type, occurred_at, attempt, created_at, state, due_at)
               SELECT app_id, delivery_id || n, endpoint_id, endpoint_epoch, event_id || n, 0, false, user_id,
                 envelope, type,
                 occurred_at, 1, created_at - interval '1 hour', 'trying', due_at - interval '1 hour'
               FROM deliveries CROSS JOIN generate_series(2, ${count}::integer) n
               WHERE app_id = ${to.appId} AND delivery_id = ${like?.id ?? ""}`
  })

/** The numbers of the endpoint's deliveries by state and fail reason. */
const states = (of: Endpoint) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql<{ what: string; rows: number }>`
      SELECT concat_ws(' ', state, fail_reason) AS what, count(*)::integer AS rows FROM deliveries
      WHERE app_id = ${of.appId} AND endpoint_id = ${of.id} GROUP BY 1 ORDER BY 1`
    return Object.fromEntries(rows.map(({ what, rows }) => [what, rows]))
  })

const disable = (endpoint: Endpoint, now: Timestamp.Timestamp) => ({
  ...endpoint,
  disabledAt: now,
  epoch: endpoint.epoch + 1
})

const ended = (reason: Delivery.FailReason) =>
  Effect.map(Timestamp.now, (at): Delivery.DeliveryFinish => ({ _tag: "Failed", at, reason }))

describeServers("several workers on one queue", (server) => {
  const run = withStores(migratedOn(server), stores)

  /**
   * Inserts three kinds of deliveries: ordinary deliveries, whose failures count as strikes; replays; and deliveries
   * that "Retry now" made due. Failures of replays and of "Retry now" are no strikes. Each delivery is claimed twice:
   * `stale` has the first claims, whose leases have run out, and `held` has the second claims, whose leases are valid.
   */
  const heldTwice = (endpoint: Endpoint, count: number) =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const at = Timestamp.plus(yield* Timestamp.now, Timestamp.HOUR)
      const counted = yield* insertMany(endpoint, count)
      const replays = yield* Effect.replicateEffect(insert(endpoint, { replayNo: 1 }), 3)
      const hurried = yield* Effect.replicateEffect(insert(endpoint, { createdAt: at }), 3)
      for (const { appId, id } of hurried) yield* store.hurry(appId, id, yield* Timestamp.now)
      const stale = of(yield* claim(), endpoint)
      yield* TestClock.adjust(Delivery.LEASE)
      const held = of(yield* claim(), endpoint)
      expect([stale.length, held.length]).toEqual([count + 6, count + 6])
      return { stale, held, counted: new Set(counted.map(({ id }) => id)), uncounted: [...replays, ...hurried] }
    })

  it("the strike counter, the moment of the disabling and the epoch are exact in many trials: every row ended four times at once, twice under a lease that is lost, among replays and retry-nows that fail and arrive [§3.4-strikes, §6.4.7, W4]", () =>
    run(
      Effect.gen(function* () {
        const limit = WebhookEndpoint.MAX_STRIKES
        for (let trial = 0; trial < server.share(60); trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              const store = yield* DeliveryStore
              const [before, after] = [
                yield* Random.nextIntBetween(0, limit - 1),
                yield* Random.nextIntBetween(1, limit + 4)
              ]
              /**
               * Finishes all deliveries of one round at the same time. Deliveries whose failures count as strikes fail
               * at their last attempt. The other deliveries fail in some rounds and arrive in the other rounds.
               */
              const round = (count: number) =>
                Effect.gen(function* () {
                  const { counted, held, stale, uncounted } = yield* heldTwice(endpoint, count)
                  const at = yield* Timestamp.now
                  const arrived: Delivery.DeliveryFinish = { _tag: "Delivered", at }
                  const failed: Delivery.DeliveryFinish = { _tag: "Failed", at, reason: "exhausted" }
                  const how = (id: DeliveryId) => (counted.has(id) || at % 2 === 0 ? failed : arrived)
                  const inTime = held.map((one) => finish(one, how(one.delivery.id), null))
                  // A worker without a valid lease reports the opposite result. If this report counted, a success would
                  // set the strikes to zero, and the test would notice that.
                  const late = stale.map((one) => finish(one, how(one.delivery.id) === failed ? arrived : failed, null))
                  const hurries = uncounted.map(({ appId, id }) => Effect.as(store.hurry(appId, id, at), false))
                  const all = yield* Random.shuffle([...inTime, ...late, ...inTime, ...late, ...hurries])
                  const written = yield* together([...all])
                  expect(written.filter(Boolean).length).toBe(held.length)
                  return at
                })
              yield* round(before)
              expect((yield* endpointNow(endpoint)).strikes).toBe(before)
              yield* insertMany(endpoint, 1)
              const [arrives] = of(yield* claim(), endpoint)
              if (arrives === undefined) throw new Error("there is one to claim")
              yield* finish(arrives, { _tag: "Delivered", at: yield* Timestamp.now }, null)
              expect((yield* endpointNow(endpoint)).strikes).toBe(0)
              yield* TestClock.adjust(1)
              const at = yield* round(after)
              const isOver = after >= limit
              const { disabledAt, epoch, strikes } = yield* endpointNow(endpoint)
              expect([strikes, disabledAt, epoch]).toEqual([Math.min(after, limit), isOver ? at : null, isOver ? 1 : 0])
            })
          )
        }
      })
    ))

  it("beside a black hole with 5,000 older rows and as many under way as it may have, the very next claim of anybody has what is due elsewhere [deliveries-7]", () =>
    run(
      withEndpoints((blackHole, ...healthy) =>
        Effect.gen(function* () {
          yield* backlog(blackHole, 5_000)
          const hanging = of(yield* claim(256, 8), blackHole)
          expect(hanging.length).toBe(8)
          for (let round = 0; round < 30; round++) {
            const rows = (yield* Effect.forEach(healthy, (endpoint) => insertMany(endpoint, 1 + (round % 3)))).flat()
            const taken = yield* together(Array.from({ length: 3 }, () => claim(16, 8)))
            const claims = of(taken.flat(), blackHole, ...healthy)
            expect(claims.map(({ delivery }) => delivery.id).sort()).toEqual(rows.map(({ id }) => id).sort())
            const at = yield* Timestamp.now
            yield* together(claims.map((one) => finish(one, { _tag: "Delivered", at }, null)))
          }
          // When an attempt at the hanging endpoint ends, workers may claim exactly one more delivery of this endpoint.
          // The other endpoints still get all their claims.
          const dueAt = Timestamp.plus(yield* Timestamp.now, 30_000)
          yield* finish(first(hanging), { _tag: "Retry", attempt: 2, dueAt }, null)
          yield* Effect.forEach(healthy, (endpoint) => insertMany(endpoint, 1))
          const next = of(yield* claim(2, 8), blackHole, ...healthy)
          expect(of(next, ...healthy).length).toBe(2)
          expect(of(yield* claim(16, 8), blackHole).length).toBe(1)
        })
      )
    ))

  it("workers at once never hold one row twice, nor more of an endpoint than the bound, also when leases of any worker run out meanwhile [deliveries-7]", () =>
    run(
      withEndpoints((...endpoints) =>
        Effect.gen(function* () {
          const bound = 5
          for (const endpoint of endpoints) yield* insertMany(endpoint, 60)
          let live: ReadonlyArray<readonly [ClaimedDelivery, number]> = []
          for (let round = 0; round < server.share(60); round++) {
            const now = yield* Timestamp.now
            live = live.filter(([, until]) => until > now)
            const taken = (yield* together(Array.from({ length: 5 }, () => claim(4, bound)))).flat()
            const mine = of(taken, ...endpoints)
            live = [...live, ...mine.map((one) => [one, now + Delivery.LEASE] as const)]
            const ids = live.map(([one]) => one.delivery.id)
            expect(new Set(ids).size).toBe(ids.length)
            for (const { id } of endpoints) {
              expect(live.filter(([one]) => one.delivery.endpointId === id).length).toBeLessThanOrEqual(bound)
            }
            // In each round, a third of the attempts in flight end with a success. Attempts that never end stay in
            // flight until their leases run out.
            const [done, left] = [live.filter((_, index) => index % 3 === 0), live.filter((_, index) => index % 3 > 0)]
            yield* together(done.map(([one]) => finish(one, { _tag: "Delivered", at: now }, null)))
            live = left
            yield* TestClock.adjust(yield* Random.nextIntBetween(0, 15_000))
          }
        })
      )
    ))
})

describeServers("an endpoint at which thousands wait and fail", (server) => {
  const run = withStores(migratedOn(server), stores)

  const untilSwept = (limit: number) =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const now = yield* Timestamp.now
      for (let claims = 1; ; claims++) {
        const lease = yield* Entropy.id("lse")
        const leaseUntil = Timestamp.plus(now, Delivery.LEASE)
        const { isUnfinished } = yield* store.claim({ limit, perEndpoint: 8, lease, now, leaseUntil })
        if (!isUnfinished) return claims
      }
    })

  it.each([
    ["the strike that disables it", "endpoint_disabled"],
    ["its removal", "endpoint_removed"]
  ] as const)(
    "%s ends 1,000 of them, each claim another 1,000, and the others' rows are claimed in between [§3.4-disabled, deliveries-8]",
    (_, why) =>
      run(
        withEndpoints((endpoint, healthy) =>
          Effect.gen(function* () {
            const [last] = yield* insertMany(endpoint, 1)
            yield* backlog(endpoint, 4_500)
            yield* (yield* EndpointStore).update(endpoint.appId, endpoint.id, (before) => ({ ...before, strikes: 19 }))
            if (why === "endpoint_disabled") {
              const [held] = of(yield* claim(1, 1), endpoint)
              if (held === undefined || last === undefined) throw new Error("there is one to claim")
              yield* finish(held, yield* ended("exhausted"), null)
            } else {
              yield* (yield* EndpointStore).remove(endpoint.appId, endpoint.id)
            }
            expect((yield* states(endpoint))[`failed ${why}`]).toBe(1_000)
            const [row] = yield* insertMany(healthy, 1)
            const claims = of(yield* claim(1), endpoint, healthy)
            expect(claims.map(({ delivery }) => delivery.id)).toEqual([row?.id])
            expect((yield* states(endpoint))[`failed ${why}`]).toBe(2_000)
            expect(yield* untilSwept(1)).toBe(3)
            expect((yield* states(endpoint))["trying"]).toBeUndefined()
          })
        )
      )
  )

  it("enabled again before all have ended, it is not kept from what happens since: that goes out, none of the others does [§3.4-enable]", () =>
    run(
      withEndpoints((endpoint) =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          yield* backlog(endpoint, 4_500)
          yield* store.update(endpoint.appId, endpoint.id, disable)
          yield* claim()
          yield* store.update(endpoint.appId, endpoint.id, WebhookEndpoint.enable)
          const rows = yield* insertMany(yield* endpointNow(endpoint), 3)
          yield* untilSwept(8)
          const fresh = yield* Effect.forEach(rows, (row) => Effect.map(found(row), ({ delivery }) => delivery.state))
          expect(fresh).toEqual(["trying", "trying", "trying"])
          expect(yield* states(endpoint)).toEqual({ "failed endpoint_disabled": 4_500, trying: 3 })
        })
      )
    ))
})

describeServers("by hand and by workers at once", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("retry now beside a claim: the attempt is brought forward or under way, once, and counts nothing only if it was brought forward", () =>
    run(
      Effect.gen(function* () {
        for (let trial = 0; trial < 30; trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              const store = yield* DeliveryStore
              const now = yield* Timestamp.now
              // The delivery is due now, or in an hour. `hurry` may change only a delivery that is not due yet.
              const isDue = trial % 2 === 0
              const row = yield* insert(endpoint, { createdAt: isDue ? now : Timestamp.plus(now, Timestamp.HOUR) })
              const hurry = Effect.as(store.hurry(row.appId, row.id, now), [])
              const claims = (yield* together([claim(), hurry, claim(), hurry, claim()])).flat()
              const held = of([...claims, ...(yield* claim())], endpoint)
              expect(held.length).toBe(1)
              expect(first(held).delivery.isHurried).toBe(!isDue)
              yield* finish(first(held), yield* ended("exhausted"), null)
              expect((yield* endpointNow(endpoint)).strikes).toBe(isDue ? 1 : 0)
            })
          )
        }
      })
    ))

  /**
   * Calls `recover` with `count` new ids for the replays. Returns a program that can be run several times: each run
   * makes new ids.
   */
  const recovery = ({ appId, id: endpointId }: Parameters<typeof states>[0], now: Timestamp.Timestamp, count: number) =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(
        Effect.map(Entropy.id("dlv"), (id) => DeliveryId.make(id)),
        count
      )
      const [since, before] = [Timestamp.plus(now, -Timestamp.HOUR), Timestamp.plus(now, 1)]
      return yield* (yield* DeliveryStore).recover({ appId, endpointId, since, before, ids, now, dueFrom: now })
    })

  /** Makes twelve deliveries of the endpoint that have failed. */
  const twelveFailed = (endpoint: Parameters<typeof states>[0]) =>
    Effect.gen(function* () {
      const rows = yield* insertMany(endpoint, 12)
      const end = yield* ended("not_sent")
      yield* together(of(yield* claim(), endpoint).map((one) => finish(one, end, null)))
      return rows
    })

  it("several recovers at once queue each event once", () =>
    run(
      Effect.gen(function* () {
        for (let trial = 0; trial < 10; trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              const rows = yield* twelveFailed(endpoint)
              const takeUp = recovery(endpoint, yield* Timestamp.now, 20)
              const counts = yield* together([takeUp, takeUp, takeUp, takeUp])
              expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows.length)
              expect(yield* states(endpoint)).toEqual({ "failed not_sent": rows.length, trying: rows.length })
            })
          )
        }
      })
    ))

  it("recovers at once with fewer ids than rows each take others [deliveries-11]", () =>
    run(
      Effect.gen(function* () {
        for (let trial = 0; trial < 10; trial++) {
          yield* withEndpoints((endpoint) =>
            Effect.gen(function* () {
              yield* twelveFailed(endpoint)
              const takeFive = recovery(endpoint, yield* Timestamp.now, 5)
              expect(yield* together([takeFive, takeFive])).toEqual([5, 5])
              expect(yield* states(endpoint)).toEqual({ "failed not_sent": 12, trying: 10 })
            })
          )
        }
      })
    ))

  it("recover takes up 10,000 of them, the oldest first and each after the one before; asked again, the rest [deliveries-11]", () =>
    run(
      withEndpoints((endpoint) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const { appId, id } = endpoint
          const app = yield* Effect.flatten((yield* AppStore).find(appId))
          const owner = yield* Effect.flatten((yield* AccountStore).find(app.ownerId))
          yield* backlog(endpoint, 10_040)
          yield* sql`UPDATE deliveries SET state = 'failed', fail_reason = 'exhausted', due_at = NULL, ended_at = created_at,
                       created_at = (created_at AT TIME ZONE 'UTC' - interval '1 hour'
                         + abs(hashtext(delivery_id)) % 1000000 * interval '1 millisecond') AT TIME ZONE 'UTC'
                     WHERE app_id = ${appId} AND endpoint_id = ${id}`
          // On a real server, autovacuum analyzes a table within about a minute after a large change. The test does the
          // same.
          yield* sql`ANALYZE deliveries`
          const since = Timestamp.plus(yield* Timestamp.now, -Timestamp.DAY)
          const ask = recover(owner, appId, id, since).pipe(Effect.provide(MemoryWorkSignal.layer))
          expect([yield* ask, yield* ask, yield* ask]).toEqual([10_000, 40, 0])
          const [order] = yield* sql<{ rows: number; apart: number; misplaced: number }>`
            WITH queued AS (
              SELECT again.due_at, row_number() OVER (ORDER BY again.due_at) AS due,
                row_number() OVER (ORDER BY lost.created_at, lost.delivery_id COLLATE "C") AS place
              FROM deliveries lost JOIN deliveries again
                ON again.app_id = lost.app_id AND again.event_id = lost.event_id
                  AND again.replay_no = lost.replay_no + 1
              WHERE lost.app_id = ${appId} AND lost.endpoint_id = ${id}
              ORDER BY place LIMIT 10000
            )
            SELECT count(*)::integer AS rows, count(DISTINCT due_at)::integer AS apart,
              count(*) FILTER (WHERE due > 10040 OR abs(due - place) > 40)::integer AS misplaced FROM queued`
          expect(order).toEqual({ rows: 10_000, apart: 10_000, misplaced: 0 })
        })
      )
    ))
})
