import { NamingClient } from "@place-access/adapters-pg/driver/NamingClient"
import type pg from "pg"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { describePg, freshDatabase } from "../support/postgres.js"

describePg("driver", "statements of one exchange", () => {
  let client: NamingClient
  let syncs = 0
  let dropDatabase: () => Promise<void>

  beforeAll(async () => {
    const { drop, url } = await freshDatabase()
    dropDatabase = drop
    client = new NamingClient({ connectionString: url, pipeline: true } as pg.ClientConfig)
    await client.connect()
    client.connection.on("readyForQuery", () => syncs++)
    await client.query(`CREATE TABLE parents (id integer PRIMARY KEY);
      CREATE TABLE things (id integer PRIMARY KEY, parent integer REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
  })
  afterAll(async () => {
    await client.end()
    await dropDatabase()
  })
  beforeEach(async () => {
    await client.query("TRUNCATE things, parents")
    syncs = 0
  })

  type StatementResult = ReadonlyArray<unknown> | string
  /** Sends the statements and returns, for each, its rows or the code of its error. */
  const send = (
    statements: ReadonlyArray<readonly [text: string, values: ReadonlyArray<unknown>]>,
    areReads = false
  ): Promise<ReadonlyArray<StatementResult>> =>
    Promise.all(
      (() => {
        const results: Array<Promise<StatementResult>> = []
        const queries = statements.map(([text, values]) => {
          const { promise, resolve } = withResolvers<StatementResult>()
          results.push(promise)
          return {
            text,
            values,
            done: (error: Error | null, result: pg.QueryResult) =>
              resolve(error === null ? result.rows : ((error as pg.DatabaseError).code ?? error.message))
          }
        })
        client.send(queries, areReads)
        return results
      })()
    )
  const withResolvers = <A>() => {
    let resolve: (value: A) => void = () => undefined
    const promise = new Promise<A>((done) => (resolve = done))
    return { promise, resolve }
  }
  const quotient = (n: number) => ["SELECT 10 / $1::integer AS quotient", [n]] as const

  it("are answered in order after one Sync, prepared or not", async () => {
    for (let round = 0; round < 6; round++) {
      syncs = 0
      expect(await send([quotient(1), ["SELECT $1::text AS text", ["ü"]], quotient(5)])).toEqual([
        [{ quotient: 10 }],
        [{ text: "ü" }],
        [{ quotient: 2 }]
      ])
      expect(syncs).toBe(1)
    }
  })

  it("that write fail together: one that fails undoes those before it, which were answered already", async () => {
    const add = (id: number) => ["INSERT INTO things VALUES ($1) RETURNING id", [id]] as const
    await send([["BEGIN", []], add(1), ["COMMIT", []]])
    const results = await send([["BEGIN", []], add(2), add(1), add(3), ["COMMIT", []]])
    expect(results.slice(2)).toEqual(["23505", "23505", "23505"])
    await client.query("ROLLBACK")
    expect(await send([["SELECT id FROM things WHERE id >= $1", [0]]])).toEqual([[{ id: 1 }]])
  })

  it("one alone that is refused when it is committed has failed, although it was done", async () => {
    const orphan = ["INSERT INTO things VALUES ($1, $2) RETURNING id", [1, 7]] as const
    expect(await send([orphan])).toEqual(["23503"])
    expect(await send([["SELECT id FROM things WHERE id >= $1", [0]]])).toEqual([[]])
  })

  it("reads fail alone, wherever they stand; those that were not come to are asked again", async () => {
    for (let round = 0; round < 4; round++) {
      expect(await send([quotient(0), quotient(1), quotient(0), quotient(0), quotient(2), quotient(0)], true)).toEqual([
        "22012",
        [{ quotient: 10 }],
        "22012",
        "22012",
        [{ quotient: 5 }],
        "22012"
      ])
    }
  })

  it("reads whose preparing was not come to are prepared when they are asked again, also those sent meanwhile", async () => {
    const fresh = (n: number) => [`SELECT $1::integer AS fresh -- ${n}`, [n]] as const
    // All connections share the names of statements, but each connection must prepare a statement for itself. After
    // several uses by `other`, the statement has a name, under which `client` has prepared nothing.
    const other = new NamingClient({ ...connection(client), pipeline: true } as pg.ClientConfig)
    await other.connect()
    for (let use = 0; use < 3; use++) for (const n of [1, 2]) await other.query(...mutable(fresh(n)))
    await other.end()
    const [first, second] = await Promise.all([
      send([quotient(0), fresh(1), fresh(2)], true),
      send([fresh(1), quotient(0), fresh(2)], true)
    ])
    expect(first).toEqual(["22012", [{ fresh: 1 }], [{ fresh: 2 }]])
    expect(second).toEqual([[{ fresh: 1 }], "22012", [{ fresh: 2 }]])
    expect(await send([fresh(2), fresh(1)], true)).toEqual([[{ fresh: 2 }], [{ fresh: 1 }]])
  })

  it("with values that have no text send nothing, and the connection goes on", async () => {
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    const [one, two] = await send([quotient(1), ["SELECT $1::jsonb", [circle]]])
    expect([one, two]).toEqual([expect.stringContaining("circular"), expect.stringContaining("circular")])
    expect(await send([quotient(2)])).toEqual([[{ quotient: 5 }]])
  })

  it("of a connection that is lost all fail, and so does what comes after", async () => {
    const other = new NamingClient({ ...connection(client), pipeline: true } as pg.ClientConfig)
    other.on("error", () => undefined)
    await other.connect()
    const outcomes: Array<string> = []
    const done = (error: Error | null) => outcomes.push(error === null ? "done" : "failed")
    const queries = ["SELECT pg_terminate_backend(pg_backend_pid()), $1::text", "SELECT $1::text"].map((text) => ({
      text,
      values: ["x"],
      done
    }))
    other.send(queries, true)
    await new Promise((resolve) => other.once("end", resolve))
    expect(outcomes).toEqual(["failed", "failed"])
    await expect(other.query("SELECT $1::text", ["x"])).rejects.toThrow("not queryable")
  })

  it("tell how many rows there were, and what was done", async () => {
    const asDriver: pg.Client = client
    const { command, rowCount } = await asDriver.query(
      "INSERT INTO parents SELECT generate_series(1, $1::integer)",
      [3]
    )
    expect([command, rowCount]).toEqual(["INSERT", 3])
    expect((await asDriver.query("SELECT id FROM parents WHERE id > $1", [1])).rowCount).toBe(2)
    expect((await asDriver.query("SET LOCAL lock_timeout = 1")).rowCount).toBe(null)
  })
})

const connection = ({ database, host, port, user }: pg.Client): pg.ClientConfig => ({
  ...(database === undefined ? {} : { database }),
  ...(user === undefined ? {} : { user }),
  host,
  port
})

const mutable = ([text, values]: readonly [string, ReadonlyArray<unknown>]): [string, Array<unknown>] => [
  text,
  [...values]
]
