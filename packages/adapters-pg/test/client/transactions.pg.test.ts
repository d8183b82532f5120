import { SqlClient } from "@effect/sql/SqlClient"
import { Failures } from "@place-access/adapters-pg"
import { last, together } from "@place-access/adapters-pg/client/Client"
import { Effect, Either, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const empty = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`DROP TABLE IF EXISTS things`
  yield* sql`CREATE TABLE things (id int PRIMARY KEY)`
  const add = (id: number) => sql`INSERT INTO things VALUES (${id}) RETURNING id`
  const ids = Effect.map(sql`SELECT id FROM things ORDER BY id`, (rows) => rows.map((row) => row["id"]))
  return { sql, add, ids }
})

describePg("statements of a transaction that travel together", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it("are worked off in order, each seeing what those before it wrote", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const answers = yield* sql.withTransaction(
          together([add(1), undefined, sql`SELECT count(*)::int AS count FROM things`, add(2)])
        )
        expect(answers).toEqual([[{ id: 1 }], [], [{ count: 1 }], [{ id: 2 }]])
        expect(yield* ids).toEqual([1, 2])
      })
    ))

  it("fail with the first failure, and nothing is kept", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const failed = yield* Effect.either(sql.withTransaction(together([add(1), add(1), add(2)])))
        expect(Either.getLeft(failed)).toMatchObject({ value: { cause: { code: "23505" } } })
        expect(yield* ids).toEqual([])
      })
    ))

  it("are part of the transaction from the first on: what fails after them takes them along", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        for (const written of [add(1), together([add(1)]), last([add(1)])]) {
          expect(
            yield* Effect.either(
              sql.withTransaction(
                Effect.zipRight<unknown, unknown, never, never, string, never>(written, Effect.fail("no"))
              )
            )
          ).toEqual(Either.left("no"))
          expect(yield* ids).toEqual([])
        }
      })
    ))

  it("a transaction in a transaction undoes its own part alone", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const inner = sql.withTransaction(Effect.zipRight(add(2), Effect.fail("no")))
        yield* sql.withTransaction(Effect.zipRight(add(1), Effect.zipRight(Effect.either(inner), add(3))))
        expect(yield* ids).toEqual([1, 3])
      })
    ))
})

describePg("the last writes of a transaction", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it("are committed when it has ended", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        expect(
          yield* sql.withTransaction(Effect.as(last([add(1), Effect.asVoid(add(2)), add(3), add(4)]), "done"))
        ).toBe("done")
        expect(yield* ids).toEqual([1, 2, 3, 4])
      })
    ))

  it("fail the transaction with what was refused, and nothing is kept", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const failed = yield* Effect.flip(Failures.orStoreError(sql.withTransaction(last([add(1), add(1), add(2)]))))
        expect(failed).toMatchObject({ _tag: "StoreError", transient: false })
        expect(Failures.isUniqueViolation(failed)).toBe(true)
        expect(yield* ids).toEqual([])
        yield* add(5)
        expect(yield* ids).toEqual([5])
      })
    ))

  it("whose connection is lost before COMMIT fail as what may be tried again", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const failed = yield* Effect.flip(
          Failures.orStoreError(
            sql.withTransaction(last([add(1), sql`SELECT pg_terminate_backend(pg_backend_pid())`, add(2)]))
          )
        )
        expect(failed).toMatchObject({ _tag: "StoreError", transient: true })
        expect(yield* ids).toEqual([])
      })
    ))
})
