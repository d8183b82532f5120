import { SqlClient } from "@effect/sql/SqlClient"
import { Partitions } from "@place-access/adapters-pg"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as FixCounts from "../../src/history/FixCounts.js"
import * as HistoryReads from "../../src/fixes/HistoryReads.js"
import { START, withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"
import { UploadStores } from "../support/uploadStores.js"

const { DAY } = Timestamp

describe("questions about a history are answered by its index", () => {
  const run = withStores(migratedEmbedded, UploadStores)
  const at = (millis: number) => Timestamp.make(START + millis)

  /** Inserts twelve weeks of fixes of a user, one every half an hour, and the same number for another user. */
  const filled = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* Partitions.ensurePartitions(at(0))
    const phone = yield* RuleSamples.device((yield* Fixtures.user).id)
    for (const userId of [phone.userId, "usr_another"]) {
      yield* sql`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, received_at)
                 SELECT ${userId}, ${new Date(START)}::timestamptz - n * interval '30 minutes', ${phone.id}, 52, 4,
                        ${new Date(START)}::timestamptz
                 FROM generate_series(0, 4000) n`
    }
    yield* sql`ANALYZE fixes`
    return { sql, userId: phone.userId }
  })

  type Ground = Effect.Effect.Success<typeof filled>

  it("two steps in one month for the nearest fix, a walk from the end for the newest; nothing is sorted", () =>
    run(
      Effect.gen(function* () {
        const ground: Ground = yield* filled
        const { sql, userId } = ground
        const now = at(0)
        const statements = {
          around: HistoryReads.aroundStatement(sql, userId, now, at(-20 * DAY), Timestamp.DAY),
          newest: HistoryReads.newestStatement(sql, userId, now, { from: at(-30 * DAY), until: null }, 8),
          latest: HistoryReads.newestStatement(sql, userId, now, { from: null, until: null }, 1),
          range: HistoryReads.rangeStatement(sql, userId, now, { from: at(-80 * DAY), until: now }, 11)
        }
        const plans: Record<string, string> = {}
        for (const [name, statement] of Object.entries(statements)) {
          const plan = yield* sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ${statement}`
          plans[name] = plan.map((row) => String(row["QUERY PLAN"])).join("\n")
        }
        // No plan may sort rows or read a whole partition. The index returns the rows in the requested order, so a
        // statement can stop at the last row that it needs.
        for (const plan of Object.values(plans))
          expect(plan).not.toMatch(/Seq Scan on fixes|Bitmap Heap Scan on fixes| Sort \(/)
        expect(plans["around"]?.match(/Index Scan(?: Backward)? using fixes_2025_12_pkey .*rows=2/g)).toHaveLength(2)
        for (const other of ["2026_01", "2026_02", "default"]) {
          expect(plans["around"]).not.toContain(`fixes_${other}`)
        }
      })
    ))

  it("the days of 80 days are counted from the half hours of the user, not from the fixes [fixes-7]", () =>
    run(
      Effect.gen(function* () {
        const { sql, userId } = yield* filled
        const now = at(0)
        // The days begin at a quarter past the hour, but counts exist for whole half hours only. So the statement
        // counts the fixes in the first and last quarter of an hour of each day, and adds the stored counts of the half
        // hours between.
        const edges = Array.from({ length: 80 }, (_, day) => at((day - 80) * DAY + 15 * 60_000))
        yield* FixCounts.prepare(sql, userId, now, at(-80 * DAY), now)
        yield* sql`ANALYZE fix_counts`
        const plan = (yield* sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
          ${FixCounts.tallyStatement(sql, userId, now, edges)}`).map((row) => String(row["QUERY PLAN"]))
        expect(plan.join("\n")).not.toMatch(/Seq Scan on fix.*actual/)
        const rows = (table: string) =>
          plan.flatMap((line) => {
            const [, count, loops] = new RegExp(`using ${table}.* rows=(\\d+).*loops=(\\d+)`).exec(line) ?? []
            return count === undefined ? [] : [Number(count) * Number(loops)]
          })
        const sum = (all: ReadonlyArray<number>) => all.reduce((total, one) => total + one, 0)
        expect(sum(rows("fix_counts_"))).toBe(79 * 47)
        expect(sum(rows("fixes_"))).toBeLessThan(79 * 2)
      })
    ))
})
