import { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlConsentStore,
  SqlTokenStore,
  SqlDeliveryStore,
  SqlEndpointStore
} from "@place-access/adapters-pg"
import { take } from "@place-access/adapters-pg/deliveries/claim"
import { findReady } from "@place-access/adapters-pg/deliveries/endpointsWithWork"
import { Timestamp } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, type Mode, type Node, nodes } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlTokenStore.layer,
  SqlEndpointStore.layer,
  SqlDeliveryStore.layer
)
const { insertMany, withEndpoints } = WebhookFixtures

const ENDPOINTS = 50
/** The number of waiting deliveries of each endpoint. */
const WAITING = 500
/** How many deliveries of one endpoint may be in flight at the same time. */
const PER_ENDPOINT = 8

/** How many rows of `deliveries` each step of a query plan reads, including the rows that the step discards. */
const looks = (root: Node) =>
  nodes(root).flatMap((node) => {
    const seen =
      node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
    return node["Relation Name"] === "deliveries" ? [seen * node["Actual Loops"]] : []
  })

/**
 * Runs on a single server only, because the test reads the query plan. On a cluster, the coordinator's plan shows only
 * which nodes it asks, and not how the nodes read their tables.
 */
describePg("plans", "what a claim reads does not grow with what waits", () => {
  const run = withStores(migratedPostgres, stores)

  it("no more rows of an endpoint than may be under way there and one that is not, however long its backlog", () =>
    run(
      withEndpoints((endpoint) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* insertMany(endpoint, 1)
          // The function stands in FROM, because PostgreSQL expands `SELECT (f(…)).*` into a call of the function for
          // each column.
          const copies = sql`generate_series(1, ${ENDPOINTS - 1}) i`
          yield* sql`INSERT INTO endpoints SELECT r.* FROM endpoints e, ${copies}
            CROSS JOIN LATERAL jsonb_populate_record(e, jsonb_build_object('endpoint_id', e.endpoint_id || i)) r
            WHERE e.endpoint_id = ${endpoint.id}`
          yield* sql`INSERT INTO deliveries SELECT r.* FROM deliveries d, ${copies}
            CROSS JOIN LATERAL jsonb_populate_record(
              d, jsonb_build_object('delivery_id', d.delivery_id || i, 'endpoint_id', d.endpoint_id || i)) r
            WHERE d.endpoint_id = ${endpoint.id}`
          yield* sql`INSERT INTO deliveries SELECT r.* FROM deliveries d, generate_series(1, ${WAITING}) i
            CROSS JOIN LATERAL jsonb_populate_record(
              d, jsonb_build_object('delivery_id', d.delivery_id || '-' || i, 'event_id', d.event_id || i,
                                    'due_at', d.due_at - i * interval '1 millisecond')) r`
          const ids = (yield* sql`SELECT DISTINCT endpoint_id FROM deliveries`).map(
            (row) => row["endpoint_id"] as string
          )
          expect(ids.length).toBe(ENDPOINTS)
          // The statement also reads endpoints without waiting deliveries. So the largest number of reads that the test
          // allows is computed from the number of all endpoints.
          const all = (yield* sql`SELECT 1 FROM endpoints`).length
          yield* sql`ANALYZE endpoints`
          yield* sql`ANALYZE deliveries`
          const now = yield* Timestamp.now
          const atMost = (perEndpoint: number) => ({
            limit: 1_000,
            perEndpoint,
            lease: "lse_1",
            now,
            leaseUntil: Timestamp.plus(now, 30_000)
          })
          const taking = (perEndpoint: number) => take(sql, endpoint.appId, ids, atMost(perEndpoint))
          const underWay = Effect.map(
            sql`SELECT count(*)::int AS count FROM deliveries WHERE lease = 'lse_1' GROUP BY endpoint_id`,
            (rows) => rows.map((row) => row["count"])
          )
          const check = (statement: Statement<object>, mode: Mode, most: number) =>
            Effect.map(explained(sql, statement, mode), (root) => {
              const found = looks(root)
              expect(found.length).toBeGreaterThan(1)
              expect(Math.max(...found)).toBeLessThanOrEqual(all * most)
            })
          for (const mode of ["force_custom_plan", "force_generic_plan"] as const) {
            yield* sql`UPDATE deliveries SET lease = NULL, leased_until = NULL WHERE lease IS NOT NULL`
            // The number of deliveries in flight before a claim and after it. Before the first claim there is none,
            // before the second one half of the limit, and before the third one the whole limit.
            for (const [before, after] of [
              [0, PER_ENDPOINT / 2],
              [PER_ENDPOINT / 2, PER_ENDPOINT],
              [PER_ENDPOINT, PER_ENDPOINT]
            ] as const) {
              yield* check(findReady(sql, atMost(PER_ENDPOINT)), mode, before + 1)
              yield* check(taking(after), mode, PER_ENDPOINT)
              expect(yield* underWay).toEqual(ids.map(() => after))
            }
          }
        })
      )
    ))

  it("planned while the queue is empty, as every worker does it in its first seconds, it does not read all that comes later", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const now = yield* Timestamp.now
        const leaseUntil = Timestamp.plus(now, 30_000)
        const request = { limit: 256, perEndpoint: PER_ENDPOINT, lease: "lse_1", now, leaseUntil }
        const root = yield* explained(sql, findReady(sql, request), "force_generic_plan")
        const reads = nodes(root).filter((node) => node["Relation Name"] === "deliveries")
        expect(reads.length).toBeGreaterThan(1)
        expect(reads.map((node) => node["Node Type"])).not.toContain("Seq Scan")
      })
    ))
})
