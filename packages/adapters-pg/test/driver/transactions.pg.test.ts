import { SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import { Failures } from "@place-access/adapters-pg"
import { last, together, togetherLast } from "@place-access/adapters-pg/driver/Client"
import { Deferred, Effect, Either, Fiber, Layer, Option } from "effect"
import type pg from "pg"
import { expect, it, vi } from "vitest"
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

/**
 * Runs a program in a transaction and returns a list of numbers, one for each time that the client waits for an answer:
 * how many writes to the socket came between the previous answer and this one. Nothing else uses the pool, so the test
 * watches its only connection from the BEGIN on.
 */
const writesOf = <A, E>(sql: SqlClient, program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const clientNow = sql.withTransaction(
      Effect.map(
        Effect.serviceOption(TransactionConnection),
        (found) => (Option.getOrThrow(found)[0] as unknown as { readonly pg: pg.PoolClient }).pg
      )
    )
    const client = yield* clientNow
    const { stream } = client.connection
    const writes: Array<number> = []
    let isAnswered = true
    const sent = () => {
      if (isAnswered) writes.push(0)
      isAnswered = false
      writes[writes.length - 1]!++
    }
    const answered = () => void (isAnswered = true)
    const socket = stream as unknown as Record<"_write" | "_writev", (...args: ReadonlyArray<unknown>) => void>
    const spies = (["_write", "_writev"] as const).map((name) => {
      const real = socket[name].bind(stream)
      return vi.spyOn(socket, name).mockImplementation((...args) => {
        sent()
        real(...args)
      })
    })
    // This listener must run before the driver's listener. The driver's listener lets the program send its next
    // statement, which must count as sent after the answer.
    stream.prependListener("data", answered)
    yield* sql.withTransaction(program)
    stream.off("data", answered)
    for (const spy of spies) spy.mockRestore()
    expect(yield* clientNow).toBe(client)
    return writes
  })

describePg("driver", "statements of a transaction that travel together", () => {
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

  it("go out in one write, with BEGIN when they are the first: COMMIT alone waits for their answers", () =>
    run(
      Effect.gen(function* () {
        const { add, sql } = yield* empty
        const oneByOne = Effect.zipRight(add(1), Effect.zipRight(add(2), add(3)))
        expect(yield* writesOf(sql, oneByOne)).toEqual([1, 1, 1, 1])
        expect(yield* writesOf(sql, together([add(4), undefined, sql`SELECT 1`, add(5)]))).toEqual([1, 1])
        expect(yield* writesOf(sql, Effect.zipRight(add(6), together([add(7), add(8)])))).toEqual([1, 1, 1])
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

  it("an interrupted one is rolled back and leaves neither its connection nor its context behind", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(
          sql.withTransaction(
            Effect.zipRight(add(1), Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
          )
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        expect(yield* ids).toEqual([])
        // Runs more transactions than the pool has connections. If a connection were never released, the test would
        // hang.
        for (let id = 2; id < 20; id++) {
          const failing = sql.withTransaction(Effect.zipRight(add(id), Effect.fail("no")))
          expect(yield* Effect.either(failing)).toEqual(Either.left("no"))
          expect(Option.isNone(yield* Effect.serviceOption(TransactionConnection))).toBe(true)
        }
        expect(yield* ids).toEqual([])
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

describePg("driver", "the last writes of a transaction", () => {
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

  it("go out with COMMIT in one write, after the last of them that has to be waited for", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        expect(yield* writesOf(sql, last([add(1), add(2), add(3)]))).toEqual([1])
        expect(yield* writesOf(sql, last([add(4), Effect.asVoid(add(5)), add(6), add(7)]))).toEqual([1, 1, 1])
        expect(yield* ids).toEqual([1, 2, 3, 4, 5, 6, 7])
      })
    ))

  it("may be read when it has ended: all that it does is one write then", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const count = sql`SELECT count(*)::int AS count FROM things`
        const answers = yield* sql.withTransaction(togetherLast([add(1), count]))
        expect(answers()).toEqual([[{ id: 1 }], [{ count: 1 }]])
        expect(yield* ids).toEqual([1])
        const lasts = togetherLast([add(2), add(3)])
        expect(yield* writesOf(sql, lasts)).toEqual([1])
        const refused = yield* Effect.flip(Failures.orStoreError(sql.withTransaction(togetherLast([add(4), add(4)]))))
        expect(Failures.isUniqueViolation(refused)).toBe(true)
        expect(yield* ids).toEqual([1, 2, 3])
      })
    ))

  it("of a transaction in a transaction are done and answered when it has ended, and undone with the outer one", () =>
    run(
      Effect.gen(function* () {
        const { add, ids, sql } = yield* empty
        const inner = Effect.map(sql.withTransaction(togetherLast([add(1), add(2)])), (answers) => answers())
        const failed = sql.withTransaction(Effect.flatMap(inner, Effect.fail))
        expect(yield* Effect.flip(failed)).toEqual([[{ id: 1 }], [{ id: 2 }]])
        expect(yield* ids).toEqual([])
        const refused = sql.withTransaction(Effect.zipRight(add(3), Effect.either(sql.withTransaction(last([add(3)])))))
        expect(Either.isLeft(yield* refused)).toBe(true)
        expect(yield* ids).toEqual([3])
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
