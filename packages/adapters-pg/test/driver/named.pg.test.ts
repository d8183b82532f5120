import { NamingClient } from "@place-access/adapters-pg/driver/NamingClient"
import type pg from "pg"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { describePg, freshDatabase } from "../support/postgres.js"

describePg("driver", "statements that are prepared", () => {
  let client: pg.Client
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
      client.query(`${text} -- ${unique}`, values, (error: Error | null, result) =>
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
    const asked = Array.from({ length: 20 }, (_, n) => ask("SELECT $1::integer AS n", [n]))
    expect((await Promise.all(asked)).map(({ rows }) => rows)).toEqual(asked.map((_, n) => [{ n }]))
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

  it("whose columns change under them are refused by the server, never misread", async () => {
    await times(5, () => ask("SELECT * FROM things WHERE id >= $1", [1]))
    await client.query("ALTER TABLE things ADD COLUMN more integer")
    await expect(ask("SELECT * FROM things WHERE id >= $1", [1])).rejects.toMatchObject({ code: "0A000" })
    await client.query("ALTER TABLE things DROP COLUMN more")
  })
})
