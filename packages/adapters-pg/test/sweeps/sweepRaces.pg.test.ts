import { SqlClient } from "@effect/sql/SqlClient"
import { SqlEventStore, SqlLimitStore, SqlRetentionStore, SqlTierStore } from "@place-access/adapters-pg"
import { everything } from "@place-access/domain/leases"
import { LimitStore, Subject } from "@place-access/domain/limits"
import { ConnectionId, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { RetentionStore, sweepTiers } from "@place-access/domain/sweeps"
import { Deferred, Effect, Fiber, Layer, Logger, LogLevel, TestClock } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describePg, describeServers, postgres } from "../support/postgres.js"
import { tokenStores } from "../support/tokenStores.js"

const { DAY } = Timestamp

const stores = Layer.mergeAll(
  tokenStores,
  SqlTierStore.layer,
  SqlEventStore.layer,
  SqlLimitStore.layer,
  SqlRetentionStore.layer,
  Logger.minimumLogLevel(LogLevel.None)
)

/** Connections whose first expiry warning is due in 16 days. */
const connected = (count: number) =>
  Effect.gen(function* () {
    const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
    yield* Fixtures.purpose(app.id, "find_coffee", { status: "approved", ...TERMS })
    return yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        const scopes = ["location.place.current", "location.lookup"] as const
        return { user, ...(yield* ConsentFlow.approve(app, user, scopes, { standardDays: "never" })) }
      })
    )
  })
const terms = { description: "Finds coffee near you", scopes: ["location.lookup"], expectedDailyVolume: 9 } as const
const TERMS = { terms, approved: terms }

const eventsOf = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql`SELECT connection_id FROM events WHERE connection_id = ANY(${ids}::text[])`
    return rows.map((row) => String(row["connection_id"])).sort()
  })

describeServers("sweeps at once", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("a connection whose row somebody holds just then is looked at by the same sweep, when it is free", () =>
    run(
      Effect.gen(function* () {
        const [one] = yield* connected(1)
        const sql = yield* SqlClient
        yield* TestClock.adjust(16 * DAY)
        const [held, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Effect.fork(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT 1 FROM connections
                         WHERE user_id = ${one!.user.id} AND connection_id = ${one!.connectionId} FOR UPDATE`
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(free)
            })
          )
        )
        yield* Deferred.await(held)
        const sweeping = yield* Effect.fork(sweepTiers(everything.people))
        // Gives the sweep time to reach the locked row and to begin to wait for it.
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 300)))
        yield* Deferred.succeed(free, undefined)
        expect(yield* Fiber.join(sweeping)).toEqual({ connections: 1, ended: 0, notices: 1 })
        yield* Fiber.join(holder)
        expect(yield* eventsOf([one!.connectionId])).toEqual([one!.connectionId])
      })
    ))

  it("four workers share 60 connections: each gets its event once", () =>
    run(
      Effect.gen(function* () {
        const all = yield* connected(60)
        yield* TestClock.adjust(16 * DAY)
        const swept = yield* Effect.all(
          Array.from({ length: 4 }, () => sweepTiers(everything.people)),
          { concurrency: "unbounded" }
        )
        expect(swept.reduce((sum, { notices }) => sum + notices, 0)).toBe(60)
        const ids = all.map(({ connectionId }) => connectionId)
        expect(yield* eventsOf(ids)).toEqual([...ids].sort())
      })
    ))
})

describePg("skipping", "a sweep beside locked rows", () => {
  const run = withStores(migratedOn(postgres), stores)

  it("expired rows that somebody has locked are skipped, and the next sweep deletes them [limits-6]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [limits, retention] = [yield* LimitStore, yield* RetentionStore]
        const now = yield* Timestamp.now
        const count = (name: string, windowMillis: number) =>
          limits.count(Subject.connection(ConnectionId.make(name)), windowMillis, now)
        yield* Effect.all([count("con_locked", 1), count("con_free", 2), count("con_other", 3)])
        const remove = retention.remove("rate_windows", Timestamp.plus(now, 3), 2)
        const [held, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Effect.fork(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT 1 FROM rate_windows WHERE subject LIKE '%con_locked' FOR UPDATE`
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(free)
            })
          )
        )
        yield* Deferred.await(held)
        expect(yield* remove).toBe(2)
        yield* Deferred.succeed(free, undefined)
        yield* Fiber.join(holder)
        expect([yield* remove, yield* remove]).toEqual([1, 0])
      })
    ))
})
