import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "./postgres.js"

describeServers("freshDatabase", (server) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await server.freshDatabase()
  })
  afterAll(() => database.drop())

  it("gives an empty database of its own", async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const tables = await client.query("select 1 from pg_tables where schemaname = 'public'")
    await client.end()
    expect(tables.rowCount).toBe(0)
  })
})
