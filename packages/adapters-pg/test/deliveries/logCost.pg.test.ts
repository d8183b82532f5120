import { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import type { DeliveryFilter } from "@place-access/domain/deliveries"
import { AppId, DeliveryId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { page } from "../../src/deliveries/log.js"
import { replayUnder } from "../../src/deliveries/replay.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, type Mode, readsOf } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const SENT = 20_000
const FAILED = 10_000

/** Inserts `count` deliveries of the app in one state, a second apart. */
const fill = (sql: SqlClient, app: string, state: "delivered" | "failed", count: number) =>
  sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
        envelope, type, occurred_at, attempt, created_at, ended_at, state, fail_reason)
      SELECT ${app}::text, 'dlv_' || i, 'whk_1', 1, 'evt_' || i, 0, false, 'usr_1', '{}', 'place.enter', now(), 1,
             now() - i * interval '1 second', now(), ${state}::text,
             CASE WHEN ${state}::text = 'failed' THEN 'exhausted' END
      FROM generate_series(1, ${count}::integer) i`

/** Returns the greatest number of rows of `deliveries` that a step of the plan read, discarded rows included. */
const looks = (sql: SqlClient, statement: Statement<object>, mode: Mode) =>
  Effect.map(explained(sql, statement, mode), (root) => Math.max(...readsOf(root, "deliveries")))

describePg(
  "plans",
  "what it costs to find the failed deliveries of an app of which nearly everything is delivered",
  () => {
    const run = withStores(migratedPostgres, Layer.empty)
    const app = AppId.make("app_1")
    const both = (read: (sql: SqlClient) => Statement<object>) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`DELETE FROM deliveries`
          yield* fill(sql, app, "delivered", SENT)
          // Because of the failed deliveries of another app, the planner expects to find some failed deliveries of this
          // app soon.
          yield* fill(sql, "app_2", "failed", FAILED)
          yield* sql`ANALYZE deliveries`
          for (const mode of ["force_custom_plan", "force_generic_plan"] as const) {
            expect(yield* looks(sql, read(sql), mode), mode).toBe(0)
          }
        })
      )

    it.each<DeliveryFilter>([{ state: "failed" }, { state: "too_old" }, { failReason: "exhausted" }])(
      "the log with the filter %j reads no delivered delivery [deliveries-20]",
      (filter) => both((sql) => page(sql, app, filter, 50, undefined))
    )

    it("Recover reads no delivered delivery [deliveries-20]", () =>
      both((sql) =>
        replayUnder(sql, 1, {
          appId: app,
          endpointId: EndpointId.make("whk_1"),
          since: Timestamp.make(0),
          before: Timestamp.make(Date.UTC(2100, 0)),
          ids: Array.from({ length: 500 }, (_, i) => DeliveryId.make(`dlv_new_${i}`)),
          now: Timestamp.make(Date.UTC(2100, 0)),
          dueFrom: Timestamp.make(Date.UTC(2100, 0))
        })
      ))
  }
)
