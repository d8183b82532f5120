import * as Reactivity from "@effect/experimental/Reactivity"
import { fromPool } from "@effect/sql-pg/PgClient"
import { TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { isFragment } from "@effect/sql/Statement"
import { Context, Effect, Fiber, FiberRef, type Scope } from "effect"
import { Socket } from "node:net"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describePg, freshDatabase } from "../support/postgres.js"

/**
 * Tests of undocumented behaviour of `pg`, `@effect/sql` and `@effect/sql-pg` on which `driver/` relies. Each test uses
 * the library alone, so a failed test tells which row of driver/README.md an upgrade broke.
 */
const SEE = "see packages/adapters-pg/src/driver/README.md"

/** The parts of `pg` that the driver uses. The types of `pg` have only `connection`. */
interface Inside {
  readonly _getActiveQuery?: () => unknown
  readonly processID?: number
  readonly connection?: { readonly stream?: unknown }
}
const inside = (client: pg.Client | pg.PoolClient): Inside => client as unknown as Inside

interface Wire {
  readonly stream: { readonly cork: () => void; readonly uncork: () => void }
  readonly parse: (query: object) => void
  readonly bind: (config: object) => void
  readonly describe: (of: object) => void
  readonly execute: (config: object) => void
  readonly close: (of: object) => void
  readonly sync: () => void
}

type Call = readonly [method: string, seen?: unknown]

const Query = pg.Query as unknown as new (text: string) => object

/** A query that sends the messages of the protocol itself and records every call that the client makes to it. */
class Probe extends Query {
  readonly calls: Array<Call> = []
  readonly ended: Promise<ReadonlyArray<Call>>
  private readonly end: (calls: ReadonlyArray<Call>) => void
  private readonly send: (wire: Wire) => void

  constructor(send: (wire: Wire) => void) {
    super("")
    let end: (calls: ReadonlyArray<Call>) => void = () => undefined
    this.ended = new Promise((resolve) => (end = resolve))
    this.end = end
    this.send = send
  }

  submit(wire: Wire): null {
    wire.stream.cork()
    this.send(wire)
    wire.sync()
    wire.stream.uncork()
    return null
  }
  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<pg.FieldDef> }): void {
    this.calls.push(["columns", fields.map(({ dataTypeID, name }) => [name, dataTypeID])])
  }
  handleDataRow({ fields }: { readonly fields: ReadonlyArray<unknown> }): void {
    this.calls.push(["row", [...fields]])
  }
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.calls.push(["complete", text])
  }
  handleEmptyQuery(): void {
    this.calls.push(["empty"])
  }
  handleReadyForQuery(): void {
    this.calls.push(["ready"])
    this.end(this.calls)
  }
  handleError(error: Error): void {
    this.calls.push(["error", error instanceof pg.DatabaseError ? error.code : error])
    this.end(this.calls)
  }
}

const ask = (wire: Wire, statement: string, values: ReadonlyArray<unknown>, isDescribed = true): void => {
  wire.bind({ statement, values })
  if (isDescribed) wire.describe({ type: "P", name: "" })
  wire.execute({ portal: "" })
}

describePg("driver", "pg", () => {
  let client: pg.Client
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await freshDatabase()
    drop = database.drop
    client = new pg.Client({ connectionString: database.url, pipeline: true } as pg.ClientConfig)
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await drop()
  })

  const probe = (send: (wire: Wire) => void): Promise<ReadonlyArray<Call>> => {
    const made = new Probe(send)
    client.query(made as never)
    return made.ended
  }

  it("in pipeline mode lets a subclass of pg.Query write its messages, and calls it with each of the server's", async () => {
    const calls = await probe((wire) => {
      wire.parse({ name: "one", text: "SELECT $1::integer AS n, $2::text AS text, $3::bytea AS bytes" })
      ask(wire, "one", ["1", null, Buffer.from([0, 255])])
      ask(wire, "one", ["2", "ü", null], false)
      wire.parse({ name: "", text: "SET application_name = 'probe'" })
      ask(wire, "", [])
      wire.parse({ name: "", text: "" })
      ask(wire, "", [])
    })
    expect(calls, `pg.Client calls a query of ours in another way: ${SEE}`).toEqual([
      [
        "columns",
        [
          ["n", 23],
          ["text", 25],
          ["bytes", 17]
        ]
      ],
      ["row", ["1", null, "\\x00ff"]],
      ["complete", "SELECT 1"],
      ["row", ["2", "ü", null]],
      ["complete", "SELECT 1"],
      ["complete", "SET"],
      ["empty"],
      ["ready"]
    ])
  })

  it("tells the query of the first statement that fails, and of nothing after it; the connection goes on", async () => {
    const calls = await probe((wire) => {
      wire.parse({ name: "", text: "SELECT 1 / $1::integer AS n" })
      ask(wire, "", ["1"], false)
      ask(wire, "", ["0"], false)
      ask(wire, "", ["1"], false)
    })
    expect(calls, `pg.Client reports a failed statement in another way: ${SEE}`).toEqual([
      ["row", ["1"]],
      ["complete", "SELECT 1"],
      ["error", "22012"]
    ])
    expect((await client.query("SELECT 1 AS n")).rows).toEqual([{ n: 1 }])
  })

  it("closes a name that was never prepared without an error, and takes the name again after it", async () => {
    for (let turn = 0; turn < 2; turn++) {
      const calls = await probe((wire) => {
        wire.close({ type: "S", name: "again" })
        wire.parse({ name: "again", text: "SELECT 1" })
        ask(wire, "again", [], false)
      })
      expect(calls.at(-1), `pg.Connection.close does something else: ${SEE}`).toEqual(["ready"])
    }
  })

  it("says which query is under way, and nothing between queries", async () => {
    const { _getActiveQuery } = inside(client)
    expect(_getActiveQuery, `pg.Client no longer has _getActiveQuery: ${SEE}`).toBeTypeOf("function")
    const active = () => inside(client)._getActiveQuery?.()
    expect(active() ?? null, `_getActiveQuery is set between queries: ${SEE}`).toBeNull()
    const query = client.query("SELECT 1")
    expect(active() ?? null, `_getActiveQuery is not set while a query is under way: ${SEE}`).not.toBeNull()
    await query
    expect(active() ?? null, `_getActiveQuery stays set: ${SEE}`).toBeNull()
  })

  it("knows the server's process, and has the socket that it reads from", async () => {
    const { rows } = await client.query<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid")
    expect(inside(client).processID, `pg.Client no longer has processID: ${SEE}`).toBe(rows[0]?.pid)
    const stream = inside(client).connection?.stream
    expect(stream, `pg.Client no longer has connection.stream: ${SEE}`).toBeInstanceOf(Socket)
    expect((stream as Socket).bytesRead).toBeGreaterThan(0)
  })
})

describePg("driver", "pg, without a connection", () => {
  it("turns values into what the server reads", () => {
    const { utils } = pg as unknown as { readonly utils?: { readonly prepareValue?: (value: unknown) => unknown } }
    expect(utils?.prepareValue, `pg no longer has utils.prepareValue: ${SEE}`).toBeTypeOf("function")
    const bytes = Buffer.from("bytes")
    const given = ["text", 1.5, true, null, undefined, ["a", null, ["b"]], { a: 1 }, bytes]
    // The driver calls `values.map(prepareValue)`, so `prepareValue` also gets an index. The index must not change the
    // result.
    const found = given.map((value) => utils?.prepareValue?.(value))
    expect(found, `pg's utils.prepareValue writes values another way: ${SEE}`).toEqual([
      "text",
      "1.5",
      "true",
      null,
      null,
      '{"a",NULL,{"b"}}',
      '{"a":1}',
      bytes
    ])
    const index: Array<number> = []
    given.map((value, at) =>
      index.push(
        JSON.stringify((utils?.prepareValue as ((...all: Array<unknown>) => unknown) | undefined)?.(value, at) ?? null)
          .length
      )
    )
    expect(index).toEqual(found.map((value) => JSON.stringify(value ?? null).length))
  })
})

describePg("driver", "@effect/sql-pg", () => {
  let pool: pg.Pool
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await freshDatabase()
    drop = database.drop
    pool = new pg.Pool({ connectionString: database.url, max: 3 })
  })
  afterAll(async () => {
    await pool.end()
    await drop()
  })

  const library = fromPool({ acquire: Effect.suspend(() => Effect.succeed(pool)) })
  const run = <A>(program: Effect.Effect<A, unknown, Scope.Scope | Reactivity.Reactivity>): Promise<A> =>
    Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Reactivity.layer)))
  const PID = "SELECT pg_backend_pid() AS pid"

  it("asks the client that a reserved connection has as `pg`, by way of its method `run`", async () => {
    const client = await pool.connect()
    try {
      const found = await run(
        Effect.gen(function* () {
          const model = yield* (yield* library).reserve
          const moved = Object.assign(Object.create(model) as Connection, { pg: client })
          const [rows, values] = [yield* moved.execute(PID, [], undefined), yield* moved.executeValues(PID, [])]
          const replaced = Object.assign(Object.create(moved) as Connection, {
            run: (text: string) => Effect.succeed([{ text }])
          })
          const instead = [
            yield* replaced.execute("SELECT 1", [], undefined),
            yield* replaced.executeUnprepared("SELECT 2", [], undefined)
          ]
          return { rows, values, instead }
        })
      )
      const pid = inside(client).processID
      expect([found.rows, found.values], `A connection of sql-pg no longer asks its pg: ${SEE}`).toEqual([
        [{ pid }],
        [[pid]]
      ])
      expect(found.instead, `A connection of sql-pg no longer asks by way of run: ${SEE}`).toEqual([
        [{ text: "SELECT 1" }],
        [{ text: "SELECT 2" }]
      ])
    } finally {
      client.release()
    }
  })

  it("runs a statement on the connection of the transaction that it finds in its context", async () => {
    const rows = await run(
      Effect.gen(function* () {
        const sql = yield* library
        const connection = { execute: () => Effect.succeed([{ n: "the transaction's" }]) } as unknown as Connection
        return yield* Effect.provide(sql`SELECT 1 AS n`, Context.make(TransactionConnection, [connection, 0]))
      })
    )
    expect(rows, `@effect/sql finds a transaction in another way: ${SEE}`).toEqual([{ n: "the transaction's" }])
  })

  it("finds a transaction in a context that a fiber sets for itself, until the fiber sets its old context again", async () => {
    const found = await run(
      Effect.gen(function* () {
        const sql = yield* library
        const connection = { execute: () => Effect.succeed([{ n: "the transaction's" }]) } as unknown as Connection
        const ask = Effect.map(sql<{ readonly n: unknown }>`SELECT 1 AS n`, (rows) => rows[0]?.n)
        const outside = yield* FiberRef.getAndUpdate(FiberRef.currentContext, (context) =>
          Context.add(context, TransactionConnection, [connection, 0] as const)
        )
        const own = yield* ask
        const failed = yield* Effect.either(Effect.zipRight(ask, Effect.fail("failed")))
        const afterFailure = yield* ask
        const ofChild = yield* Effect.flatMap(Effect.fork(ask), Fiber.join)
        yield* FiberRef.set(FiberRef.currentContext, outside)
        return { own, failed: failed._tag, afterFailure, ofChild, after: yield* ask }
      })
    )
    const n = "the transaction's"
    expect(found, `FiberRef.currentContext no longer sets the context of a fiber: ${SEE}`).toEqual({
      own: n,
      failed: "Left",
      afterFailure: n,
      ofChild: n,
      after: 1
    })
  })

  it("makes statements of segments: texts, parameters and identifiers", async () => {
    const found = await run(
      Effect.map(library, (sql) => {
        const statement = sql`SELECT ${1}, ${sql("x")} FROM ${sql.literal("t")} WHERE ${sql`y = ${2}`}`
        return { isFragment: isFragment(statement), segments: statement.segments, compiled: statement.compile() }
      })
    )
    expect(found.isFragment, `A statement is no fragment any more: ${SEE}`).toBe(true)
    expect(new Set(found.segments.map(({ _tag }) => _tag)), `Segments have other kinds: ${SEE}`).toEqual(
      new Set(["Literal", "Parameter", "Identifier"])
    )
    expect(found.compiled).toEqual(['SELECT $1, "x" FROM t WHERE y = $2', [1, 2]])
  })
})
