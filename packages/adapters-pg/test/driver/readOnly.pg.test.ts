import { SqlClient } from "@effect/sql/SqlClient"
import { layerPostgres } from "@place-access/adapters-pg"
import { reads } from "@place-access/adapters-pg/driver/Client"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { acceptWrites } from "../support/acceptWrites.js"
import { ask } from "../support/citusStandIn.js"
import { describePg, postgres } from "../support/postgres.js"

/** After a fail-over, a connection may lead to the old server, which accepts no writes any more. */
describePg("driver", "a connection to a server that accepts no writes", () => {
  const write = (sql: SqlClient) => sql`INSERT INTO things VALUES (1)`

  it.each([
    ["one statement", write],
    ["a transaction", (sql: SqlClient) => sql.withTransaction(write(sql))],
    ["a transaction in a transaction", (sql: SqlClient) => sql.withTransaction(sql.withTransaction(write(sql)))],
    ["a shared read that locks", (sql: SqlClient) => reads(sql)`SELECT 1 FROM things FOR UPDATE`]
  ])("is closed after its first refusal, so the next try of %s succeeds", (_, statement) =>
    Effect.gen(function* () {
      const { url } = yield* Effect.acquireRelease(Effect.promise(postgres.freshDatabase), ({ drop }) =>
        Effect.promise(drop)
      )
      yield* Effect.promise(() => ask(url, "CREATE TABLE things (id int)"))
      yield* Effect.promise(() => acceptWrites(url, false))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* Effect.promise(() => acceptWrites(url, true))
        expect(yield* Effect.flip(statement(sql))).toMatchObject({ cause: { code: "25006" } })
        yield* statement(sql)
      }).pipe(Effect.provide(layerPostgres({ url: Redacted.make(url), poolSize: 4, applicationName: "test" })))
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
