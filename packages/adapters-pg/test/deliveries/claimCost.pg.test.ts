import { SqlClient } from "@effect/sql/SqlClient"
import {
  Rows,
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlDeliveryStore,
  SqlEndpointStore
} from "@place-access/adapters-pg"
import { take } from "@place-access/adapters-pg/deliveries/claim"
import { Timestamp } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { Effect, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlEndpointStore.layer,
  SqlDeliveryStore.layer
)
const { insertMany, withEndpoints } = WebhookFixtures

const Plan = Schema.Struct({ "QUERY PLAN": Schema.String })
/** At each of two endpoints. */
const WAITING = 15_000
const PER_ENDPOINT = 8

describePg("what a claim reads does not grow with what waits", () => {
  const run = withStores(migratedPostgres, stores)

  it("no more rows of an endpoint than may be under way there, however long its backlog", () =>
    run(
      withEndpoints((endpoint, other) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* Effect.forEach([endpoint, other], (one) => insertMany(one, 1))
          yield* sql`INSERT INTO deliveries
            SELECT (jsonb_populate_record(d, jsonb_build_object('delivery_id', d.delivery_id || i, 'event_id', d.event_id || i))).*
            FROM deliveries d, generate_series(1, ${WAITING}) i`
          yield* sql`ANALYZE deliveries`
          const now = yield* Timestamp.now
          const asked = {
            limit: 100,
            perEndpoint: PER_ENDPOINT,
            lease: "lse_1",
            now,
            leaseUntil: Timestamp.plus(now, 30_000)
          }
          const [text, parameters] = take(sql, [endpoint.appId, other.appId], [endpoint.id, other.id], asked).compile()
          const plan = yield* sql
            .unsafe(`EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) ${text}`, parameters)
            .pipe(Rows.all(Plan))
          const reads = plan.flatMap(
            (line) => / on deliveries\b.*actual rows=(\d+)/.exec(line["QUERY PLAN"])?.[1] ?? []
          )
          expect(reads.length).toBeGreaterThan(2)
          expect(Math.max(...reads.map(Number))).toBeLessThanOrEqual(2 * PER_ENDPOINT)
        })
      )
    ))
})
