import { SqlClient } from "@effect/sql/SqlClient"
import { SqlDeviceStore, SqlStayStore } from "@place-access/adapters-pg"
import { Bucket } from "@place-access/domain/leases"
import { DeviceId, Timestamp, UserId } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { StayStore } from "@place-access/domain/visits"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { describePg } from "../support/postgres.js"

const DEVICES = 3_000

describePg("plans", "devices whose stays are due", () => {
  const run = withStores(migratedPostgres, Layer.merge(SqlStayStore.layer, SqlDeviceStore.layer))

  it("are found by indexes, not by a scan of all devices", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { id } = yield* RuleSamples.device(UserId.make("usr_0"))
        const own = sql`jsonb_build_object('user_id', 'usr_' || n, 'device_id', 'dev_' || n,
          'token_hash', encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'sends_visits', n = 7)`
        yield* sql`INSERT INTO devices SELECT r.* FROM devices d, generate_series(1, ${DEVICES}) n
          CROSS JOIN LATERAL jsonb_populate_record(NULL::devices, to_jsonb(d) || ${own}) r WHERE d.device_id = ${id}`
        yield* sql`ANALYZE devices`
        const scans = sql<{ readonly scans: number }>`
          SELECT seq_scan::int AS scans FROM pg_stat_xact_user_tables WHERE relname = 'devices'`
        const request = { buckets: Bucket.ALL, limit: 100, until: yield* Timestamp.now, after: undefined }
        const { found, scanned } = yield* Effect.gen(function* () {
          const before = yield* scans
          const found = yield* (yield* StayStore).behind(request)
          const after = yield* scans
          return { found, scanned: (after[0]?.scans ?? 0) - (before[0]?.scans ?? 0) }
        }).pipe(sql.withTransaction)
        expect(found).toEqual([{ userId: UserId.make("usr_7"), deviceId: DeviceId.make("dev_7") }])
        expect(scanned).toBe(0)
      })
    ))
})
