import { DedicatedConnection, Failures, Rows } from "@place-access/adapters-pg"
import { PgClient } from "@effect/sql-pg/PgClient"
import { SqlClient } from "@effect/sql/SqlClient"
import { Timestamp } from "@place-access/domain/shared"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../support/contracts.js"
import { embeddedWith, emptyEmbedded } from "../support/embedded.js"
import { refusedWhileHeld, waited } from "../support/refusedWhileHeld.js"

describe("embedded database", () => {
  const run = withStores(emptyEmbedded, Layer.empty)

  it("gives and takes values as PostgreSQL with `pg` does", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const at = Timestamp.make(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
        yield* sql`CREATE TABLE kinds (at timestamptz(3), big bigint, names text[], body jsonb, x double precision)`
        yield* sql`INSERT INTO kinds VALUES (${Rows.at(at)}, ${"9007199254740991"}, ${["a", 'q"\\,{}', ""]},
          ${Rows.json([{ n: null }])}, ${0.1})`
        const Row = Schema.Struct({
          at: Rows.At,
          big: Rows.Bigint,
          names: Schema.Array(Schema.String),
          body: Schema.Array(Schema.Struct({ n: Schema.Null })),
          x: Schema.Number
        })
        expect(yield* sql`SELECT * FROM kinds`.pipe(Rows.all(Row))).toEqual([
          { at, big: 9007199254740991, names: ["a", 'q"\\,{}', ""], body: [{ n: null }], x: 0.1 }
        ])
        expect(yield* Rows.affected(sql`UPDATE kinds SET x = 1`)).toBe(1)
        const found = yield* sql`SELECT at FROM kinds WHERE at = ANY(${[Rows.at(at)]}::timestamptz[])`
        expect(found).toHaveLength(1)
      })
    ))

  it("keeps concurrent transactions and statements apart", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL)`
        yield* sql`INSERT INTO counters VALUES (1, 0)`
        const bump = sql.withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ readonly n: number }>`SELECT n FROM counters WHERE id = 1 FOR UPDATE`
            yield* Effect.yieldNow()
            yield* sql`UPDATE counters SET n = ${(row?.n ?? 0) + 1} WHERE id = 1`
          })
        )
        const read = sql<{ readonly n: number }>`SELECT n FROM counters WHERE id = 1`
        yield* Effect.all([...Array.from({ length: 25 }, () => bump), ...Array.from({ length: 25 }, () => read)], {
          concurrency: "unbounded"
        })
        expect((yield* read)[0]?.n).toBe(25)
      })
    ))

  it("a refused statement inside a transaction rolls it back and leaves the connection usable", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE once (id int CONSTRAINT once_id PRIMARY KEY)`
        const twice = sql.withTransaction(
          Effect.zipRight(sql`INSERT INTO once VALUES (${1})`, sql`INSERT INTO once VALUES (${1})`)
        )
        const error = yield* Effect.flip(twice)
        expect(Failures.sqlState(error)).toBe("23505")
        expect(Failures.isUniqueViolation(error, "once_id")).toBe(true)
        expect(Failures.isUniqueViolation(error, "another")).toBe(false)
        expect(yield* sql`SELECT id FROM once`).toEqual([])
      })
    ))

  it("interrupting a transaction rolls it back at once and lets the next one in", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE halves (id int)`
        const started = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(
          sql.withTransaction(
            sql`INSERT INTO halves VALUES (1)`.pipe(
              Effect.zipRight(Deferred.succeed(started, undefined)),
              Effect.zipRight(Effect.never)
            )
          )
        )
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        expect(yield* sql`SELECT id FROM halves`).toEqual([])
      })
    ))

  it("an interrupted statement does not wait for its own cancellation", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const held = yield* Deferred.make<void>()
        const holder = yield* Effect.fork(
          sql.withTransaction(
            Effect.zipRight(sql`SELECT 1`, Effect.zipRight(Deferred.succeed(held, undefined), Effect.never))
          )
        )
        yield* Deferred.await(held)
        const blocked = yield* Effect.fork(sql`SELECT ${1}::int AS one`)
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(blocked)
        yield* Fiber.interrupt(holder)
        expect(yield* sql`SELECT ${1}::int AS one`).toEqual([{ one: 1 }])
      })
    ))

  it("a connection that vanishes inside a transaction takes its changes along and lets the next one in", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE ghosts (id int)`
        const client = yield* (yield* DedicatedConnection).connect
        yield* Effect.promise(() => client.query("BEGIN"))
        yield* Effect.promise(() => client.query("INSERT INTO ghosts VALUES (1)"))
        yield* Effect.promise(() => client.end())
        expect(yield* sql`SELECT id FROM ghosts`).toEqual([])
        yield* sql.withTransaction(sql`INSERT INTO ghosts VALUES (2)`)
        expect(yield* sql`SELECT id FROM ghosts`).toEqual([{ id: 2 }])
      }).pipe(Effect.scoped)
    ))

  it("connections share what is prepared: a statement that all of them repeat is prepared once", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const doubled = (n: number) => sql<{ readonly m: number }>`SELECT ${n}::int * 2 AS m, 'shared' AS mark`
        const found = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, index) => index),
          (n) => sql.withTransaction(doubled(n)),
          { concurrency: 20 }
        )
        expect(found.map(([row]) => row?.m)).toEqual(Array.from({ length: 100 }, (_, index) => index * 2))
        const prepared = yield* sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_prepared_statements
          WHERE statement LIKE ${"%'shared' AS mark"}`
        expect(prepared[0]?.n).toBe(1)
      })
    ))

  it("a statement that could not be prepared is prepared when it can be, on every connection", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const count = (n: number) => sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM late WHERE id > ${n}`
        const all = (work: Effect.Effect<unknown, unknown>) =>
          Effect.all(
            Array.from({ length: 20 }, () => Effect.exit(work)),
            { concurrency: "unbounded" }
          )
        for (let round = 0; round < 3; round++) {
          expect((yield* all(sql.withTransaction(count(0)))).filter(Exit.isSuccess)).toEqual([])
        }
        yield* sql`CREATE TABLE late (id int)`
        for (let round = 0; round < 3; round++) {
          expect((yield* all(sql.withTransaction(count(0)))).filter(Exit.isFailure)).toEqual([])
          expect((yield* all(count(1))).filter(Exit.isFailure)).toEqual([])
        }
      })
    ))

  it("a notification reaches each listener", () =>
    run(
      Effect.gen(function* () {
        const client = yield* PgClient
        const listener = yield* Effect.fork(Stream.runHead(client.listen("news")))
        // The test cannot know when LISTEN has run, so it sends notifications until the listener gets one.
        const raise = client`SELECT pg_notify('news', 'hello')`
        yield* raise.pipe(Effect.zipRight(Effect.yieldNow()), Effect.forever, Effect.race(Fiber.join(listener)))
        expect((yield* Fiber.join(listener))._tag).toBe("Some")
      })
    ))

  it("a commit that is refused is a StoreError, though `@effect/sql` dies of it", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE parents (id int PRIMARY KEY)`
        yield* sql`CREATE TABLE children (parent int REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)`
        const exit = yield* Effect.exit(
          Failures.orStoreError(sql.withTransaction(sql`INSERT INTO children VALUES (1)`))
        )
        expect(Exit.isFailure(exit) && Cause.failureOption(exit.cause)).toMatchObject({
          value: { _tag: "StoreError", transient: false }
        })
      })
    ))
})

describe("a transaction that does not end", () => {
  const run = withStores(embeddedWith({ waitLimitMillis: 50 }), Layer.empty)

  it("makes others fail with a passing error after a while, as a lock does on a server, and spares those after it", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const held = yield* Deferred.make<void>()
        const holder = yield* Effect.fork(
          sql.withTransaction(
            sql`SELECT 1`.pipe(Effect.zipRight(Deferred.succeed(held, undefined)), Effect.zipRight(Effect.never))
          )
        )
        yield* Deferred.await(held)
        const [statement, transaction] = yield* Effect.all(
          [sql`SELECT ${2}::int AS two`, sql.withTransaction(sql`SELECT ${3}::int AS three`)].map((refused) =>
            Effect.flip(Failures.orStoreError(refused))
          ),
          { concurrency: "unbounded" }
        )
        expect(statement).toMatchObject({ _tag: "StoreError", transient: true })
        expect(transaction).toMatchObject({ _tag: "StoreError", transient: true })
        yield* Fiber.interrupt(holder)
        expect(yield* sql`SELECT ${4}::int AS four`).toEqual([{ four: 4 }])
      })
    ))

  const add = Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO wholes VALUES (${1})`)
  const first = Effect.flatMap(SqlClient, (sql) => sql`SELECT 1`)
  it.each([
    ["whose first statement has no values", Effect.zipRight(first, add)],
    ["whose own work fails too", Effect.zipRight(Effect.zipRight(first, add), Effect.fail("no"))],
    ["that goes on after the refusal", Effect.zipRight(Effect.ignore(add), add)],
    [
      "whose first text has several statements",
      Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO wholes VALUES (1); INSERT INTO wholes VALUES (2)`)
    ],
    [
      "that asks for its statements at different moments",
      Effect.all([first, Effect.zipRight(waited(5), add)], { concurrency: 2 })
    ]
  ])("refuses a transaction as a whole, and stores nothing of a transaction %s", (_, work) =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE IF NOT EXISTS wholes (id int)`
        const transaction = sql.withTransaction(Effect.asVoid<unknown, unknown, SqlClient>(work))
        const exit = yield* refusedWhileHeld(Failures.orStoreError(transaction))
        expect(yield* sql`SELECT id FROM wholes`).toEqual([])
        expect(Exit.isFailure(exit) && Cause.failureOption(exit.cause)).toMatchObject({
          value: { _tag: "StoreError", transient: true }
        })
        yield* sql.withTransaction(Effect.zipRight(first, add))
        expect(yield* sql`DELETE FROM wholes RETURNING id`).toEqual([{ id: 1 }])
      })
    )
  )
})
