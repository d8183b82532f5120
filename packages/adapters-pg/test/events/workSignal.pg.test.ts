import { DedicatedConnection, SqlWorkSignal } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { WorkSignal } from "@place-access/domain/events"
import { Duration, Effect, Fiber, Layer } from "effect"
import { it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

describeServers("WorkSignal on a server", (server) => {
  const run = withStores(migratedOn(server), Layer.empty)

  it("listens again after the server closed its connection", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const signal = yield* WorkSignal
        yield* signal.wait(Duration.hours(1)) // returns when the signal has connected and listens
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        yield* signal.wait(Duration.hours(1)) // returns when the signal listens on its second connection
        const waiting = yield* Effect.fork(signal.wait(Duration.hours(1)))
        yield* signal.raise
        yield* Fiber.join(waiting)
      }).pipe(Effect.provide(Layer.fresh(SqlWorkSignal.layer)))
    ))

  it("neither fails nor blocks when there is no database to signal through", () =>
    run(
      Effect.gen(function* () {
        const signal = yield* WorkSignal
        yield* signal.raise
        yield* signal.wait(Duration.zero)
      }).pipe(
        Effect.provide(Layer.fresh(SqlWorkSignal.layer)),
        Effect.provideService(DedicatedConnection, { connect: Effect.never })
      )
    ))
})
