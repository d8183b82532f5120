import { NamingClient } from "@place-access/adapters-pg/driver/NamingClient"
import type pg from "pg"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { describePg, freshDatabase } from "../support/postgres.js"

describePg("driver", "statements that are prepared", () => {
  let client: NamingClient
  /** How many times the server described the columns of a statement. */
  let descriptions = 0
  let dropDatabase: () => Promise<void>
  let unique = 0

  beforeAll(async () => {
    const { drop, url } = await freshDatabase()
    dropDatabase = drop
    client = new NamingClient({ connectionString: url, pipeline: true } as pg.ClientConfig)
    await client.connect()
    client.connection.on("rowDescription", () => descriptions++)
    await client.query("CREATE TABLE things (id integer PRIMARY KEY, at timestamptz, tags text[])")
  })
  afterAll(async () => {
    await client.end()
    await dropDatabase()
  })
  beforeEach(async () => {
    await client.query("TRUNCATE things")
    descriptions = 0
    unique++
  })

  const ask = (text: string, values: Array<unknown>): Promise<pg.QueryResult> =>
    new Promise((resolve, reject) =>
      client.query(`${text} -- ${unique}`, values, (error: Error | null, result: pg.QueryResult) =>
        error === null ? resolve(result) : reject(error)
      )
    )
  const times = async <A>(count: number, run: (turn: number) => Promise<A>): Promise<ReadonlyArray<A>> => {
    const answers: Array<A> = []
    for (let turn = 0; turn < count; turn++) answers.push(await run(turn))
    return answers
  }

  it("are described until they have earned a name and once under it; what they answer stays the same", async () => {
    const row = { id: 1, at: new Date("2026-01-02T03:04:05.678Z"), tags: ["a", "b c"] }
    await client.query("INSERT INTO things VALUES ($1, $2, $3), (2, NULL, NULL)", [row.id, row.at, row.tags])
    descriptions = 0
    const answers = await times(6, () => ask("SELECT * FROM things WHERE id >= $1 ORDER BY id", [1]))
    expect(descriptions).toBe(3)
    for (const { fields, rowCount, rows } of answers) {
      expect(rows).toEqual([row, { id: 2, at: null, tags: null }])
      expect(rowCount).toBe(2)
      expect(fields.map(({ name }) => name)).toEqual(["id", "at", "tags"])
    }
  })

  it("under way at the same time are each answered with their own rows", async () => {
    const queries = Array.from({ length: 20 }, (_, n) => ask("SELECT $1::integer AS n", [n]))
    expect((await Promise.all(queries)).map(({ rows }) => rows)).toEqual(queries.map((_, n) => [{ n }]))
  })

  it("may have no columns", async () => {
    const counts = await times(6, (id) => ask("INSERT INTO things (id) VALUES ($1)", [id]))
    expect(counts.map(({ rowCount, rows }) => [rowCount, rows])).toEqual(counts.map(() => [1, []]))
  })

  it("that were refused the first time are described the next", async () => {
    await ask("INSERT INTO things (id) VALUES ($1) RETURNING id", [1])
    const refused = await times(4, () => ask("INSERT INTO things (id) VALUES ($1) RETURNING id", [1]).catch(() => "no"))
    expect(refused).toEqual(["no", "no", "no", "no"])
    const answers = await times(3, (turn) => ask("INSERT INTO things (id) VALUES ($1) RETURNING id", [turn + 2]))
    expect(answers.map(({ rows }) => rows)).toEqual([[{ id: 2 }], [{ id: 3 }], [{ id: 4 }]])
  })

  it("whose columns change under them are refused by the server once, never misread, and prepared again", async () => {
    await client.query("INSERT INTO things (id) VALUES (1)")
    const look = () => ask("SELECT * FROM things WHERE id >= $1", [1])
    await times(5, look)
    await client.query("ALTER TABLE things ADD COLUMN more integer DEFAULT 7")
    await expect(look()).rejects.toMatchObject({ code: "0A000" })
    const answers = await times(3, look)
    await client.query("ALTER TABLE things DROP COLUMN more")
    expect(answers.map(({ rows }) => rows)).toEqual(answers.map(() => [{ id: 1, at: null, tags: null, more: 7 }]))
  })

  it("that only read and whose columns change under them are answered all the same, in one write with others", async () => {
    await client.query("INSERT INTO things (id) VALUES (1)")
    const look = () =>
      new Promise<ReadonlyArray<ReadonlyArray<unknown>>>((resolve, reject) => {
        const answers: Array<ReadonlyArray<unknown>> = []
        const texts = [`SELECT 1 AS one WHERE 1 = $1 -- ${unique}`, `SELECT * FROM things WHERE id = $1 -- ${unique}`]
        const done = (error: Error | null, { rows }: pg.QueryResult) => {
          if (error !== null) reject(error)
          if (answers.push(rows) === texts.length) resolve(answers)
        }
        client.send(
          texts.map((text) => ({ text, values: [1], done })),
          true
        )
      })
    await times(5, look)
    await client.query("ALTER TABLE things ADD COLUMN more integer DEFAULT 7")
    const answers = await times(3, look)
    await client.query("ALTER TABLE things DROP COLUMN more")
    expect(answers).toEqual(answers.map(() => [[{ one: 1 }], [{ id: 1, at: null, tags: null, more: 7 }]]))
  })

  it("that the server refuses for what they ask are refused each time, also when they only read", async () => {
    const look = () =>
      new Promise((resolve) =>
        client.send(
          [{ text: `SELECT * FROM refused($1) -- ${unique}`, values: [1], done: (error) => resolve(error) }],
          true
        )
      )
    await client.query(`CREATE FUNCTION refused(integer) RETURNS integer LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '0A000'; END $$`)
    for (const error of await times(5, look)) expect(error).toMatchObject({ code: "0A000", message: "no" })
  })
})
