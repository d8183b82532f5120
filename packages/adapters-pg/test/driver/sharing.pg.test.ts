import { SqlClient } from "@effect/sql/SqlClient"
import { Failures } from "@place-access/adapters-pg"
import { reads } from "@place-access/adapters-pg/driver/Client"
import { Deferred, Effect, Either, Exit, Fiber, Layer } from "effect"
import pg from "pg"
import { expect, it, vi } from "vitest"
import { migratedPostgres, POOL, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

describePg("driver", "short reads share connections", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  /**
   * Sends `count` queries at the same time, each for its own number. Returns the number of connections that answered.
   * The query with the number 7 fails, because it divides by zero.
   */
  const ask = (count: number) =>
    Effect.gen(function* () {
      const read = reads(yield* SqlClient)
      const answers = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => index),
        (index) =>
          Effect.either(
            read`SELECT ${index}::int AS index, 100 / (${index}::int - 7) AS quotient, pg_backend_pid() AS pid`
          ),
        { concurrency: "unbounded" }
      )
      const pids = new Set<unknown>()
      for (const [index, answer] of answers.entries()) {
        if (index === 7) expect(Either.getLeft(answer)).toMatchObject({ value: { cause: { code: "22012" } } })
        else {
          const [row] = Either.getOrThrow(answer) as ReadonlyArray<{ readonly index: number; readonly pid: number }>
          expect(row).toMatchObject({ index, quotient: Math.trunc(100 / (index - 7)) })
          pids.add(row?.pid)
        }
      }
      return pids.size
    })

  it("ten share one connection and a hundred two: each gets its own answer, and one that fails fails alone", () =>
    run(
      Effect.gen(function* () {
        for (let round = 0; round < 4; round++) {
          expect(yield* ask(10)).toBe(1)
          expect(yield* ask(100)).toBe(2)
        }
      })
    ))

  it("more at once than two connections take go their own way, and get their own answers too", () =>
    run(
      Effect.gen(function* () {
        for (let round = 0; round < 4; round++) expect(yield* ask(200)).toBeGreaterThan(2)
      })
    ))

  it("in a transaction they read what it wrote", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const count = reads(sql)`SELECT count(*)::int AS count FROM things`
        yield* sql`CREATE TABLE things (id int)`
        const seen = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO things VALUES (${1})`
            return yield* count
          })
        )
        expect(seen).toEqual([{ count: 1 }])
        const undone = yield* Effect.exit(
          sql.withTransaction(Effect.zipRight(sql`DELETE FROM things`, Effect.fail("no")))
        )
        expect(Exit.isFailure(undone)).toBe(true)
        expect(yield* count).toEqual([{ count: 1 }])
      })
    ))

  it("a lost connection is an error that passes: the next read has another", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const read = reads(sql)
        const waiting = yield* Effect.forEach([1, 2, 3, 4], (n) =>
          Effect.fork(Effect.either(Failures.orStoreError(read`SELECT ${n}::int, pg_sleep(60)`)))
        )
        const ended = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                          WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(60)'
                            AND pid <> pg_backend_pid()`
        yield* ended.pipe(Effect.repeat({ until: (rows) => rows.length > 0 }))
        yield* ended.pipe(Effect.zipRight(Effect.yieldNow()), Effect.forever, Effect.fork)
        for (const fiber of waiting) {
          expect(yield* Fiber.join(fiber)).toMatchObject({
            _tag: "Left",
            left: { _tag: "StoreError", transient: true }
          })
        }
        expect(yield* read`SELECT ${1}::int AS one`).toEqual([{ one: 1 }])
      })
    ))
})

describePg("driver", "after the pool has ended", () => {
  it("a read fails like any other statement, each time", async () => {
    const sql = await Effect.runPromise(Effect.provide(SqlClient, migratedPostgres))
    const read = Effect.either(reads(sql)`SELECT ${1}::int AS one`)
    for (let time = 0; time < 3; time++) {
      expect(await Effect.runPromise(read)).toMatchObject({
        _tag: "Left",
        left: { _tag: "SqlError", message: "Failed to acquire connection" }
      })
    }
  })
})

describePg("driver", "a statement whose caller went away", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it("is cancelled, and its connection is used again", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const running = sql`SELECT pid FROM pg_stat_activity
                            WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(61)'
                              AND pid <> pg_backend_pid()`
        const pids = new Set<unknown>()
        for (let round = 0; round < 20; round++) {
          const fiber = yield* Effect.fork(sql`SELECT ${round}::int, pg_sleep(61)`)
          const [row] = yield* running.pipe(Effect.repeat({ until: (rows) => rows.length > 0 }))
          pids.add(row?.["pid"])
          yield* Fiber.interrupt(fiber)
          expect(yield* running).toEqual([])
        }
        expect(pids.size).toBeLessThan(10)
      })
    ))

  it("leaves nothing behind when it had no connection yet", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const connect = vi.spyOn(pg.Pool.prototype, "connect")
        yield* Effect.addFinalizer(() => Effect.sync(() => connect.mockRestore()))
        const free = yield* Deferred.make<void>()
        const busy = yield* Effect.forEach(Array.from({ length: POOL }), () =>
          Effect.gen(function* () {
            const isHeld = yield* Deferred.make<void>()
            const hold = Effect.zipRight(Deferred.succeed(isHeld, undefined), Deferred.await(free))
            const fiber = yield* Effect.fork(sql.withTransaction(Effect.zipRight(sql`SELECT 1`, hold)))
            return yield* Effect.as(Deferred.await(isHeld), fiber)
          })
        )
        connect.mockClear()
        const fibers = yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.fork(sql`SELECT ${1}::int`))
        yield* Effect.yieldNow()
        expect(connect).toHaveBeenCalledTimes(40)
        yield* Fiber.interruptAll(fibers)
        yield* Deferred.succeed(free, undefined)
        yield* Fiber.joinAll(busy)
        const answers = yield* Effect.forEach(Array.from({ length: 40 }), () => sql`SELECT ${1}::int AS one`, {
          concurrency: "unbounded"
        })
        expect(answers.flat()).toEqual(Array.from({ length: 40 }, () => ({ one: 1 })))
      }).pipe(Effect.scoped)
    ))
})
