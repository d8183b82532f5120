import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "./contracts.js"
import { explained } from "./plans.js"
import { describePg } from "./postgres.js"

describePg("plans", "explaining a statement that fails", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it("leaves no prepared statement on its connection", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const explain = (divisor: number) => explained(sql, sql`SELECT 1 / ${divisor}::int`, "force_custom_plan")
        // The outer transaction keeps all statements on one connection.
        const { failed, left } = yield* Effect.gen(function* () {
          const failed = yield* Effect.flip(explain(0))
          const left = yield* sql`SELECT name FROM pg_prepared_statements WHERE name = 'asked'`
          return { failed, left }
        }).pipe(sql.withTransaction)
        expect(failed).toMatchObject({ cause: { code: "22012" } })
        expect(left).toEqual([])
      })
    ))
})
