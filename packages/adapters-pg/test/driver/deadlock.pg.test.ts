import { SqlClient } from "@effect/sql/SqlClient"
import { Failures } from "@place-access/adapters-pg"
import { deadlockRepeats } from "@place-access/adapters-pg/driver/Run"
import { Deferred, Effect, Either, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

describeServers("the victim of a deadlock", (server) => {
  const run = withStores(migratedOn(server), Layer.empty)

  /**
   * Two transactions add to two rows in opposite order, so that each waits for the other one. When the victim runs
   * again, it first waits until the other transaction has ended. Otherwise the victim might lock its first row before
   * the other transaction gets that row, and the two would deadlock once more.
   */
  const crossed = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`DROP TABLE IF EXISTS things`
    yield* sql`CREATE TABLE things (id int PRIMARY KEY, count int NOT NULL)`
    yield* sql`INSERT INTO things VALUES (1, 0), (2, 0)`
    const raise = (id: number) => sql`UPDATE things SET count = count + 1 WHERE id = ${id}`
    const begun = { 1: yield* Deferred.make<void>(), 2: yield* Deferred.make<void>() }
    const ended = { 1: yield* Deferred.make<void>(), 2: yield* Deferred.make<void>() }
    const both = (first: 1 | 2, second: 1 | 2) =>
      Deferred.isDone(begun[first]).pipe(
        Effect.flatMap((again) => (again ? Deferred.await(ended[second]) : Effect.void)),
        Effect.zipRight(raise(first)),
        Effect.zipRight(Deferred.succeed(begun[first], undefined)),
        Effect.zipRight(Deferred.await(begun[second])),
        Effect.zipRight(raise(second)),
        sql.withTransaction,
        Effect.ensuring(Deferred.succeed(ended[first], undefined)),
        Failures.orStoreError,
        Effect.either
      )
    const ends = yield* Effect.all([both(1, 2), both(2, 1)], { concurrency: "unbounded" })
    const rows = yield* sql`SELECT count FROM things ORDER BY id`
    return { ended: ends.filter(Either.isRight).length, counts: rows.map((row) => row["count"]), ends }
  })

  it("runs once more, so both transactions end [errors-2]", () =>
    run(
      Effect.gen(function* () {
        const { counts, ended } = yield* Effect.locally(crossed, deadlockRepeats, 1)
        expect([ended, counts]).toEqual([2, [2, 2]])
      })
    ))

  it("runs once more only as a whole: inside another transaction, the outermost one runs again [errors-2]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        let runs = 0
        const victim = Effect.suspend(() => (runs++, sql`DO $$ BEGIN RAISE EXCEPTION SQLSTATE '40P01'; END $$`))
        const nested = sql.withTransaction(sql.withTransaction(victim))
        const end = yield* Effect.either(Effect.locally(nested, deadlockRepeats, 1))
        expect([Either.isLeft(end), runs]).toEqual([true, 2])
      })
    ))

  it("without a repeat it is a failure after which the caller may try again", () =>
    run(
      Effect.gen(function* () {
        const { counts, ended, ends } = yield* crossed
        expect([ended, counts]).toEqual([1, [1, 1]])
        expect(ends.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))).toMatchObject([{ transient: true }])
      })
    ))
})
