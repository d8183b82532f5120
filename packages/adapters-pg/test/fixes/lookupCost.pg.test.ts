import { SqlClient } from "@effect/sql/SqlClient"
import { Rows } from "@place-access/adapters-pg"
import { historyStatement } from "@place-access/adapters-pg/fixes/HistoryStatement"
import { knownStatement } from "@place-access/adapters-pg/fixes/UploadView"
import { DeviceId, ImportId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, START, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const EARLIER = 20_000
const STEP = 500

/** The new fixes, spread over the whole history, so that the first and the last are far apart. */
const fixes = Array.from({ length: STEP }, (_, index) => ({
  capturedAt: Timestamp.make(START - index * (EARLIER / STEP) * Timestamp.HOUR),
  lat: 52,
  lon: 4,
  accuracyM: null,
  altitudeM: null,
  speedMps: null,
  courseDeg: null
}))

const Plan = Schema.Struct({ "QUERY PLAN": Schema.String })

/**
 * Runs on a single server only, because the test reads the query plan. On a cluster, the coordinator's plan shows only
 * which nodes it asks, and not how the nodes read their tables.
 */
describePg(
  "plans",
  "what is there already is known by one step in an index for each fix, whatever the statistics",
  () => {
    const run = withStores(migratedPostgres, Layer.empty)

    /** A long history about which the planner has no statistics. */
    const history = (sql: SqlClient, userId: UserId) =>
      sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
        SELECT ${userId}, ${Rows.at(START)}::timestamptz - i * interval '1 hour', 'dev_1', 52, 4, ${Rows.at(START)}
        FROM generate_series(1, ${EARLIER}) i`

    const lookups = (sql: SqlClient, [text, parameters]: readonly [string, ReadonlyArray<unknown>], table: RegExp) =>
      sql.unsafe(`EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) ${text}`, parameters).pipe(
        Rows.all(Plan),
        Effect.map((plan) => plan.map((line) => line["QUERY PLAN"]).filter((line) => table.test(line)))
      )

    const expectSteps = (scans: ReadonlyArray<string>) => {
      expect(scans.length).toBeGreaterThan(0)
      for (const scan of scans) expect(scan).toMatch(/Index .*(?:actual rows=[01] loops|never executed)/)
    }

    it("for an upload of a phone that was offline for long", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const userId = UserId.make("usr_offline")
          yield* history(sql, userId)
          const statement = knownStatement(
            sql,
            userId,
            fixes.map((fix) => ({ deviceId: DeviceId.make("dev_1"), fix }))
          )
          expectSteps(yield* lookups(sql, statement.compile(), / on fixes\w* /))
          const [known] = yield* statement.pipe(Rows.all(Schema.Struct({ array_agg: Schema.Array(Schema.Int) })))
          expect(known?.array_agg).toHaveLength(STEP - 1)
        })
      ))

    it("for a step of an import [imports-5]", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const userId = UserId.make("usr_importing")
          yield* history(sql, userId)
          const [id, deviceId, at] = [ImportId.make("imp_1"), DeviceId.make("dev_2"), Timestamp.make(START)]
          const step = { userId, id, deviceId, at, fixes, visits: [], isAlso: false, isAnyKnown: true }
          const statement = historyStatement(sql, step, 0).compile()
          expectSteps(yield* lookups(sql, statement, / on fixes\w* known/))
          // The statement must find fixes of other devices by their times, one by one. It must not read all fixes
          // between the first and the last time. For a bitmap scan, only the scan of the index shows the number of rows
          // that it reads.
          const brought = yield* lookups(sql, statement, /Scan.* on fixes\w* brought|Bitmap Index Scan on fixes/)
          expect(brought.length).toBeGreaterThan(0)
          for (const scan of brought) {
            expect(scan).toMatch(/(?:Index|Bitmap Heap) .*(?:actual rows=\d{1,4} loops=1|never executed)/)
          }
        })
      ))
  }
)
