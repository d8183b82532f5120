import { layerPostgres } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { describePg, freshDatabase } from "../support/postgres.js"

describePg("driver", "a connection on which nothing comes", () => {
  it("is left alone while the server works on its statement, or waits for a lock for it", async () => {
    const { drop, url } = await freshDatabase()
    try {
      // A statement that takes longer than the driver needs to find a silent connection, and that ends before the
      // server's time-outs. The driver must not take this connection for a silent one.
      const slow = Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE one (id integer)`
        const holding = sql.withTransaction(
          Effect.zipRight(sql`LOCK TABLE one IN ACCESS EXCLUSIVE MODE`, sql`SELECT pg_sleep(7)`)
        )
        const waiting = Effect.zipRight(Effect.sleep("3 seconds"), sql`SELECT count(*)::integer AS count FROM one`)
        return (yield* Effect.all([holding, waiting], { concurrency: "unbounded" }))[1]
      })
      const database = layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })
      expect(await Effect.runPromise(Effect.provide(slow, database))).toEqual([{ count: 0 }])
    } finally {
      await drop()
    }
  }, 60_000)
})
