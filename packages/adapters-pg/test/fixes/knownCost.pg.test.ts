import { SqlClient } from "@effect/sql/SqlClient"
import { Rows } from "@place-access/adapters-pg"
import { knownStatement } from "@place-access/adapters-pg/fixes/UploadStatement"
import { DeviceId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, START, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const EARLIER = 20_000
const BACKLOG = 500

const Plan = Schema.Struct({ "QUERY PLAN": Schema.String })

describePg("what it costs to know what a phone uploaded before", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it("one step in an index for each fix, however long the history, far apart the fixes, and new the statistics", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
          SELECT 'usr_1', ${Rows.at(START)}::timestamptz - i * interval '1 hour', 'dev_1', 52, 4, ${Rows.at(START)}
          FROM generate_series(1, ${EARLIER}) i`
        const fixes = Array.from({ length: BACKLOG }, (_, index) => ({
          capturedAt: Timestamp.make(START - index * (EARLIER / BACKLOG) * Timestamp.HOUR),
          lat: 52,
          lon: 4,
          accuracyM: null,
          altitudeM: null,
          speedMps: null,
          courseDeg: null
        }))
        const statement = knownStatement(sql, UserId.make("usr_1"), DeviceId.make("dev_1"), fixes)
        const [text, parameters] = statement.compile()
        const plan = yield* sql
          .unsafe(`EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) ${text}`, parameters)
          .pipe(Rows.all(Plan))
        const scans = plan.map((line) => line["QUERY PLAN"]).filter((line) => / on fixes\w* /.test(line))
        expect(scans.length).toBeGreaterThan(0)
        for (const scan of scans) expect(scan).toMatch(/Index .*(?:actual rows=[01] loops|never executed)/)
        expect(yield* statement).toHaveLength(BACKLOG - 1)
      })
    ))
})
