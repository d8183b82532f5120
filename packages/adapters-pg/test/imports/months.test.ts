import { SqlClient } from "@effect/sql/SqlClient"
import { Partitions, SqlImportStore } from "@place-access/adapters-pg"
import { ImportStore, Months } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { ImportSamples } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as Reading from "../../src/imports/Reading.js"
import { START, withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"
import { UploadStores } from "../support/uploadStores.js"

describe("the months of an import that ends [imports-12]", () => {
  const run = withStores(migratedEmbedded, Layer.merge(UploadStores, SqlImportStore.layer))
  const at = Timestamp.make(START)
  const fix = {
    capturedAt: Timestamp.make(START - 40 * Timestamp.DAY),
    lat: 52,
    lon: 4,
    accuracyM: 5,
    altitudeM: null,
    speedMps: null,
    courseDeg: null
  }

  /** An import that has stored one fix. */
  const readOne = Effect.gen(function* () {
    yield* Partitions.ensurePartitions(at)
    const made = yield* ImportSamples.waiting()
    const { lease } = yield* ImportSamples.claimed(made, "lease", at)
    yield* ImportSamples.advance(ImportSamples.step(made, lease, at, { fixes: [fix] }))
    const months = Months.tally()
    months.add(fix.capturedAt, undefined)
    return { made, leased: { userId: made.userId, id: made.id, lease }, months: months.months() }
  })

  it("are counted between the import's first and last month, not over all that the user has", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { leased, made, months } = yield* readOne
        yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
                   SELECT ${made.userId}, ${new Date(START)}::timestamptz - n * interval '1 minute', 'dev_phone', 52, 4,
                          ${new Date(START)}::timestamptz
                   FROM generate_series(0, 9000) n`
        yield* sql`ANALYZE fixes`
        const span = Months.spanStored(months) ?? { from: at, until: at }
        const plan = (yield* sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
          ${Reading.monthsStatement(sql, leased, span)}`).map((row) => String(row["QUERY PLAN"]))
        expect(new Set(plan.join("\n").match(/ on fixes_\w+/g))).toEqual(new Set([" on fixes_2025_12"]))
      })
    ))

  it("are left out when they cannot be counted: the import is done all the same", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const store = yield* ImportStore
        const { leased, made, months } = yield* readOne
        // The count of months fails, as on a server that stops the count after 15 s.
        yield* sql`ALTER TABLE visit_reports RENAME TO visit_reports_away`
        expect(yield* store.finish(leased, null, at, months)).toBe(true)
        yield* sql`ALTER TABLE visit_reports_away RENAME TO visit_reports`
        expect(yield* ImportSamples.found(made)).toMatchObject({ state: "done", error: null, months: [] })
      })
    ))
})
