import { SqlClient } from "@effect/sql/SqlClient"
import { EventId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { marking } from "../../src/deliveries/SqlEventStore.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, nodes } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const WAITING = 5_000
const MARKED = 200

/** On one node only: it reads PostgreSQL's plan, and a coordinator's plan names tasks. */
describePg("plans", "what it costs to mark events of the outbox as fanned out", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "does not grow with what waits there, also before the planner has heard of it (%s)",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`DELETE FROM events`
          yield* sql`INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, created_at, fan_out_due_at)
            SELECT 'usr_' || i % 100, 'evt_' || i, 'con_1', 'app_1', '{}', now(), now(), now() FROM generate_series(1, ${WAITING}) i`
          const events = Array.from({ length: MARKED }, (_, i) => ({
            userId: UserId.make(`usr_${(i + 1) % 100}`),
            id: EventId.make(`evt_${i + 1}`)
          }))
          const root = yield* explained(sql, marking(sql, events, yield* Timestamp.now), mode)
          const looks = nodes(root)
            .filter((node) => node["Relation Name"] === "events" && node["Node Type"] !== "ModifyTable")
            .map((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"])
          expect(Math.max(...looks)).toBe(MARKED)
          const [left] = yield* sql`SELECT count(*)::integer AS count FROM events WHERE fanned_out_at IS NULL`
          expect(left).toEqual({ count: WAITING - MARKED })
        })
      )
  )
})
