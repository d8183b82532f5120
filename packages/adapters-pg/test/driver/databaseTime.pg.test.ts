import { SqlClient } from "@effect/sql/SqlClient"
import { DatabaseTime } from "@place-access/adapters-pg"
import { Clock, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, POOL, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

describeServers("the difference between the clocks", (server) => {
  const run = withStores(migratedOn(server), Layer.empty)

  it("does not contain the time that the question waited for a connection", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        // Runs twice as many callers as the pool has connections, so that each statement waits about a second for its
        // connection. The measured offset between the two clocks must not contain this wait.
        const busy = Effect.replicateEffect(Effect.forkScoped(Effect.forever(sql`SELECT pg_sleep(1)`)), 2 * POOL)
        yield* busy
        yield* Effect.sleep("100 millis")
        expect(Math.abs(yield* DatabaseTime.offset())).toBeLessThan(250)
      }).pipe(Effect.scoped, Effect.withClock(Clock.make()))
    ))
})
