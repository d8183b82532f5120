import { KeyUsage, layerPostgres } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import pg from "pg"
import { describeServers } from "../support/postgres.js"
import { waits } from "../support/waits.js"

const database = (url: string) =>
  layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "place-access keys" })

describeServers("the count of sealed values", ({ migratedDatabase }) => {
  it.live("may take longer than a statement that serves a request", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.acquireRelease(Effect.promise(migratedDatabase), ({ drop }) => Effect.promise(drop))
      const holder = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          return client
        }),
        (client) => Effect.promise(() => client.end())
      )
      const run = (text: string) => Effect.promise(() => holder.query(text))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        // The lock makes the count of sealed values wait, like a count of a table that is too large to be read in time.
        yield* run("BEGIN; LOCK TABLE endpoints IN ACCESS EXCLUSIVE MODE")
        const count = sql.withTransaction(
          sql`SET LOCAL statement_timeout = '1s'`.pipe(
            Effect.zipRight(sql`SET LOCAL lock_timeout = 0`),
            Effect.zipRight(KeyUsage.count())
          )
        )
        const counting = yield* Effect.fork(count)
        yield* Effect.repeat(waits(sql), { until: (isWaiting) => isWaiting })
        yield* run("SELECT pg_sleep(1.5)")
        yield* run("COMMIT")
        expect(yield* Fiber.join(counting)).toEqual([])
      }).pipe(Effect.provide(database(url)))
    }).pipe(Effect.scoped)
  )
})
