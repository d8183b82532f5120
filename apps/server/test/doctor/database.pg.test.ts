import { NodeVault } from "@place-access/adapters-pg"
import { Effect, Either, Redacted } from "effect"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import { acceptWrites } from "../../../../packages/adapters-pg/test/support/acceptWrites.js"
import { describePg, freshDatabase, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { database } from "../../src/doctor/database.js"

const keys = Either.getOrThrow(NodeVault.parseKeys(Redacted.value(NodeVault.generateKey("k1"))))

describePg("driver", "the doctor [settings-1]", () => {
  let empty: TestDatabase
  beforeEach(async () => {
    empty = await freshDatabase()
  })
  afterEach(() => empty.drop())

  const found = (url = empty.url) =>
    Effect.runPromise(database({ _tag: "Postgres", url: Redacted.make(url), poolSize: 4, keys }))
  const query = async (statement: string) => {
    const client = new pg.Client({ connectionString: empty.url })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }

  it("an empty database is no problem", async () => {
    expect((await found()).map(({ check, state }) => [check, state])).toEqual([
      ["database", "ok"],
      ["migrations", "warning"],
      ["keys", "ok"],
      ["clock", "ok"]
    ])
  })

  it("says in PostgreSQL's words why a statement is refused", async () => {
    await query("CREATE TABLE schema_migrations (id int)")
    expect(await found()).toMatchObject([{ check: "database", state: "problem", says: 'column "name" does not exist' }])
  })

  it("a database that accepts no writes is a problem", async () => {
    await acceptWrites(empty.url, false)
    const problems = (await found()).filter(({ state }) => state === "problem")
    await acceptWrites(empty.url, true)
    expect(problems).toMatchObject([{ check: "database", says: expect.stringContaining("accepts no writes") }])
  })

  it("a database whose encoding is not UTF-8 is a problem [settings-5]", async () => {
    const latin = new URL(empty.url)
    latin.pathname += "_latin1"
    const name = latin.pathname.slice(1)
    await query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
    const problems = (await found(latin.href)).filter(({ state }) => state === "problem")
    await query(`DROP DATABASE ${name} WITH (FORCE)`)
    expect(problems).toMatchObject([{ check: "database", says: expect.stringContaining("LATIN1") }])
  })
})
