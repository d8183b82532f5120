import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { leaksPage } from "../../src/staff/SqlReviewStore.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, readsOf } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const CONNECTIONS = 20_000
const FLAGGED = 300
const LIMIT = 100

describePg("plans", "what it costs to list the connections with a leak", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it("does not grow with the connections [reviews-2]", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`INSERT INTO connections (user_id, connection_id, app_id, sub, held_scopes, places_version,
                     connected_at, flagged_at)
                   SELECT 'usr_' || i, 'con_' || i, 'app_1', 'sub_' || i, '{}', 1, now(),
                          CASE WHEN i <= ${FLAGGED} THEN now() + i * interval '1 second' END
                   FROM generate_series(1, ${CONNECTIONS}::integer) i`
        yield* sql`ANALYZE connections`
        for (const mode of ["force_custom_plan", "force_generic_plan"] as const) {
          const read = readsOf(yield* explained(sql, leaksPage(sql, LIMIT, undefined), mode), "connections")
          expect(Math.max(...read), mode).toBe(LIMIT + 1)
        }
      })
    ))
})
