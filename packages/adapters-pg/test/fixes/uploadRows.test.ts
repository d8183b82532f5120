import { Partitions } from "@place-access/adapters-pg"
import { ingestFixes } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, MemoryWorkSignal, RuleSamples } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { knownStatement } from "../../src/fixes/UploadView.js"
import { START, withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"
import { UploadStores } from "../support/uploadStores.js"

describe("rows of an upload that no port reads yet", () => {
  const run = withStores(migratedEmbedded, Layer.merge(UploadStores, MemoryWorkSignal.layer))
  const at = (millis: number) => Timestamp.make(START + millis)

  it("what was put aside is stored as it was sent, once, also when it is sent again", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* RuleSamples.device((yield* Fixtures.user).id)
        const upload = ingestFixes(
          phone,
          [
            { capturedAt: at(-1), lat: 91, lon: 4, accuracyM: -1 },
            { capturedAt: at(-1), lat: 91, lon: 4, accuracyM: -1 },
            { capturedAt: at(-1), lat: Number.NaN, lon: Number.POSITIVE_INFINITY },
            { capturedAt: at(300_001), lat: 1, lon: 1 }
          ],
          [{ arrival: null, departure: null, lat: 1, lon: 1, accuracyM: null }]
        )
        for (let times = 0; times < 2; times++) expect((yield* upload).quarantined).toBe(5)
        const rows =
          yield* sql`SELECT reason, reading FROM quarantined_fixes WHERE device_id = ${phone.id} ORDER BY reason,
                                reading_key`
        expect(rows).toEqual([
          { reason: "future", reading: { capturedAt: START + 300_001, lat: 1, lon: 1 } },
          { reason: "no_stay", reading: { arrival: null, departure: null, lat: 1, lon: 1, accuracyM: null } },
          { reason: "out_of_range", reading: { capturedAt: START - 1, lat: 91, lon: 4, accuracyM: -1 } },
          // JSON has neither NaN nor Infinity: both are stored as null.
          { reason: "unreadable", reading: { capturedAt: START - 1, lat: null, lon: null } }
        ])
      })
    ))

  it("a visit report is stored once; the same stay closed is another report", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* RuleSamples.device((yield* Fixtures.user).id)
        const open = { arrival: at(-60_000), departure: null, lat: 52.123_456_78, lon: 4, accuracyM: 30 }
        for (const reports of [[open, open], [open], [{ ...open, departure: at(0) }]]) {
          yield* ingestFixes(phone, [], reports)
        }
        const rows = yield* sql`SELECT arrival, departure, lat, lon, accuracy_m FROM visit_reports
                                WHERE device_id = ${phone.id} ORDER BY departure NULLS FIRST`
        const stored = { arrival: new Date(START - 60_000), lat: 52.123_456_8, lon: 4, accuracy_m: 30 }
        expect(rows).toEqual([
          { ...stored, departure: null },
          { ...stored, departure: new Date(START) }
        ])
      })
    ))

  it("known fixes are looked for in the months of the upload alone", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const phone = yield* RuleSamples.device((yield* Fixtures.user).id)
        yield* Partitions.ensurePartitions(at(0))
        const fix = { lat: 1, lon: 1, accuracyM: null, altitudeM: null, speedMps: null, courseDeg: null }
        const statement = knownStatement(sql, phone.userId, [
          { deviceId: phone.id, fix: { ...fix, capturedAt: at(0) } },
          { deviceId: phone.id, fix: { ...fix, capturedAt: at(-60_000) } }
        ])
        const plan = yield* sql`EXPLAIN ${statement}`
        const text = plan.map((row) => row["QUERY PLAN"]).join("\n")
        expect(text).toContain("fixes_2026_01")
        for (const other of ["fixes_2025_12", "fixes_2026_02", "fixes_default"]) expect(text).not.toContain(other)
      })
    ))
})
