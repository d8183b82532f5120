import pg from "pg"
import { expect, it } from "vitest"
import { describePg, freshDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { record } from "../../bench/harness/statements.js"

describePg("driver", "what a program sends to PostgreSQL is heard as it sends it", () => {
  it("texts and parameters, prepared ones again under their text, in order, and only while somebody listens", async () => {
    const database = await freshDatabase()
    const recorder = await record(database.url)
    const client = new pg.Client({ connectionString: recorder.url })
    try {
      await client.connect()
      const named = { name: "sum", text: "SELECT $1::int + $2::int AS sum" }
      await client.query({ ...named, values: [1, 2] })
      const statements = await recorder.during(async () => {
        await client.query("BEGIN")
        expect((await client.query({ ...named, values: [3, 4] })).rows).toEqual([{ sum: 7 }])
        await client.query("SELECT $1::text, $2::text[]", [null, ["a b", "c"]])
        await client.query("COMMIT")
      })
      expect(statements).toEqual([
        { text: "BEGIN", values: [] },
        { text: named.text, values: ["3", "4"] },
        { text: "SELECT $1::text, $2::text[]", values: [null, '{"a b","c"}'] },
        { text: "COMMIT", values: [] }
      ])
    } finally {
      await client.end()
      await recorder.close()
      await database.drop()
    }
  })
})
