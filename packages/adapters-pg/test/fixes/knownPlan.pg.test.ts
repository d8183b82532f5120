import { SqlClient } from "@effect/sql/SqlClient"
import type { Fix } from "@place-access/domain/fixes"
import { DeviceId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { knownStatement } from "../../src/fixes/UploadView.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const START = Timestamp.make(Date.UTC(2026, 10, 21))

const fixAt = (minute: number): Fix.Fix => ({
  capturedAt: Timestamp.plus(START, minute * 60_000),
  lat: 52.37,
  lon: 4.89,
  accuracyM: null,
  altitudeM: null,
  speedMps: null,
  courseDeg: null
})

/**
 * Runs on a single server only, because the test reads the query plan. On a cluster, the coordinator's plan shows only
 * which nodes it asks, and not how the nodes read their tables.
 */
describePg("plans", "the look for fixes that are known", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  /**
   * Executes the statement `uses` times on one connection. Returns how many executions had a custom plan (`planned`),
   * which the server makes for the parameters of one execution, and how many had the generic plan (`kept`).
   */
  const planned = (fixes: number, uses: number) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const ask = (use: number) =>
        knownStatement(
          sql,
          UserId.make("usr_1"),
          Array.from({ length: fixes }, (_, index) => ({
            deviceId: DeviceId.make("dev_1"),
            fix: fixAt(use * fixes + index)
          }))
        )
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          for (let use = 0; use < uses; use++) yield* ask(use)
          return yield* sql`SELECT custom_plans::integer AS planned, generic_plans::integer AS kept FROM pg_prepared_statements
                            WHERE statement LIKE ${"%array_agg(asked.position%"} AND name <> ''`
        })
      )
    })

  it("keeps its plan, whether or not anything is known of the tables", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        // The driver prepares a statement at its third execution in a process. PostgreSQL makes a custom plan for the
        // first five executions of a prepared statement, and then may choose the generic plan. Twelve executions are
        // enough to prepare the statement and to choose the plan, even if no other test has executed the statement.
        const [unknown] = yield* planned(1, 12)
        expect(unknown?.["planned"]).toBe(5)
        expect(unknown?.["kept"]).toBeGreaterThanOrEqual(5)
        yield* sql`DISCARD PLANS`
        yield* sql`ANALYZE`
        const [later] = yield* planned(100, 12)
        expect(later?.["kept"]).toBeGreaterThanOrEqual(5)
      })
    ))
})
