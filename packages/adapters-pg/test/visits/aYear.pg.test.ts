import { SqlClient } from "@effect/sql/SqlClient"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Partitions, Rows } from "@place-access/adapters-pg"
import { type PlaceId, Timestamp } from "@place-access/domain/shared"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Effect, Struct } from "effect"
import { expect, it } from "vitest"
import * as HistoryReads from "../../src/fixes/HistoryReads.js"
import * as VisitReads from "../../src/visits/VisitReads.js"
import { migratedPostgres, START, withStores } from "../support/contracts.js"
import { explained, type Node, nodes } from "../support/plans.js"
import { describePg } from "../support/postgres.js"
import { VisitStores } from "../support/visitStores.js"

const { DAY, MINUTE } = Timestamp
const FIXES = 1_000_000
const EVERY = 30_000
const at = (ago: number) => Timestamp.make(START - ago)

/** A fix every 30 seconds for a year, 8 places with 1,500 stays at each, and 6,000 visits of another phone. */
const aYear = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { id: userId } = yield* Fixtures.user
  const [phone, teller] = [yield* RuleSamples.device(userId), yield* RuleSamples.device(userId)]
  yield* (yield* HistoryStore).choose(userId, null, at(0))
  const places: Array<PlaceId> = []
  for (let count = 0; count < 8; count++) places.push((yield* RuleSamples.place(userId)).id)
  for (let month = 0; month <= 12; month++) yield* Partitions.ensurePartitions(at(month * 30 * DAY))
  const noon = Rows.at(START)
  const piece = FIXES / 10
  for (let from = 0; from < FIXES; from += piece) {
    yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, received_at)
               SELECT ${userId}, ${noon}::timestamptz - n * interval '30 seconds', ${phone.id},
                      52 + (n % 1000) * 0.0001, 4 + (n % 777) * 0.0001, 10, ${noon}::timestamptz
               FROM generate_series(${from}::integer, ${from + piece - 1}::integer) n`
  }
  yield* sql`INSERT INTO stays (user_id, place_id, device_id, arrival, departure)
             SELECT ${userId}, place_id, ${phone.id}, ${noon}::timestamptz - n * interval '5 hours',
                    ${noon}::timestamptz - n * interval '5 hours' + interval '1 hour'
             FROM unnest(${places}::text[]) place_id, generate_series(1, 1500) n`
  yield* sql`INSERT INTO visit_reports (user_id, device_id, report_key, arrival, departure, lat, lon, received_at)
             SELECT ${userId}, ${teller.id}, n::text,
                    CASE WHEN n % 3 = 2 THEN NULL ELSE ${noon}::timestamptz - (n - n % 3) * interval '30 minutes' END,
                    CASE WHEN n % 3 = 0 THEN NULL ELSE ${noon}::timestamptz - n * interval '30 minutes' + interval '1 hour' END,
                    52, 4, ${noon}::timestamptz
             FROM generate_series(1, 18000) n`
  yield* sql`UPDATE devices SET sends_visits = true WHERE user_id = ${userId} AND device_id = ${teller.id}`
  for (const table of ["fixes", "stays", "visit_reports", "devices"]) yield* sql`ANALYZE ${sql(table)}`
  return { sql, userId, phone, places }
})

/**
 * The partitions of `fixes` that have no rows. A plan may scan an empty partition as a whole: the partition has no
 * page, so the scan costs nothing.
 */
const emptyPartitions = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ name: string }>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits
    WHERE inhparent = 'fixes'::regclass AND pg_relation_size(inhrelid) = 0`
  return new Set(rows.map(({ name }) => name))
})

/**
 * What a plan costs: its scans (without the scans of empty partitions), the number of pages that it reads, and the
 * number of rows that it returns.
 */
const cost = (root: Node, empty: ReadonlySet<string>) => ({
  scans: nodes(root).flatMap((node) => {
    const relation = node["Relation Name"]
    return relation === undefined || empty.has(relation) ? [] : [`${node["Node Type"]} ${relation}`]
  }),
  buffers: root["Shared Hit Blocks"] + root["Shared Read Blocks"],
  rows: root["Actual Rows"]
})

/**
 * Runs on a single server only, because the test reads the query plan. On a cluster, the coordinator's plan shows only
 * which nodes it asks, and not how the nodes read their tables.
 */
describePg("plans", `a year of a user's history, ${FIXES / 1_000_000} million fixes`, () => {
  const run = withStores(migratedPostgres, VisitStores)

  it("lookup/place and visits are answered by index, and read a few pages of the database, however they are planned [answers-9]", () =>
    run(
      Effect.gen(function* () {
        const { phone, places, sql, userId } = yield* aYear
        const since = places.map((placeId) => ({ placeId, since: at(400 * DAY) }))
        const span = { from: null, to: null }
        const now = at(0)
        const middle = at((FIXES / 2) * EVERY)
        const request = { userId, places: since, limit: 101, now, cutoff: at(400 * DAY), unfinished: [] }
        const statements = {
          lookUp: HistoryReads.aroundStatement(sql, userId, now, middle, 15 * MINUTE),
          lookUpADay: HistoryReads.aroundStatement(sql, userId, now, middle, DAY),
          stays: VisitReads.staysStatement(sql, { ...request, span, after: undefined }),
          laterStays: VisitReads.staysStatement(sql, {
            ...request,
            span: { from: at(300 * DAY), to: at(3 * DAY) },
            after: { arrival: at(200 * DAY), placeId: places[3] ?? since[0]?.placeId ?? ("" as PlaceId) }
          }),
          reports: VisitReads.reportsStatement(sql, { userId, span, after: undefined, limit: 100 }),
          laterReports: VisitReads.reportsStatement(sql, {
            userId,
            span: { from: at(300 * DAY), to: at(200 * DAY) },
            after: { arrival: at(210 * DAY), deviceId: phone.id },
            limit: 100
          }),
          due: VisitReads.dueStatement(sql, userId, phone.id, at(DAY), 1_000)
        }
        // The most pages that each statement may read. Lists of reported visits (`reports`, `laterReports`) need three
        // index look-ups for each visit.
        const most = {
          lookUp: 40,
          lookUpADay: 40,
          stays: 200,
          laterStays: 200,
          reports: 1_500,
          laterReports: 1_500,
          due: 200
        }
        const empty = yield* emptyPartitions
        for (const mode of ["force_custom_plan", "force_generic_plan"] as const) {
          for (const name of Struct.keys(statements)) {
            const { buffers, rows, scans } = cost(yield* explained(sql, statements[name], mode), empty)
            const history = scans.filter((scan) => /fixes|stays|visit_reports/.test(scan))
            expect({ mode, name, others: history.filter((scan) => !/^Index (Only )?Scan/.test(scan)) }).toEqual({
              mode,
              name,
              others: []
            })
            expect(history.length).toBeGreaterThan(0)
            expect(rows).toBeGreaterThan(0)
            expect({ mode, name, buffers: Math.max(buffers, most[name]) }).toEqual({ mode, name, buffers: most[name] })
          }
        }
      })
    ))
})
