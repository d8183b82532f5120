import { SqlClient } from "@effect/sql/SqlClient"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { futureOf, putAsideOf } from "../../src/retention-choice/Erasures.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, readsOf } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const WAITING = 1_000
const OWNER = UserId.make("usr_1")

describePg("plans", "what it costs to delete a stretch, for a phone with many quarantined readings", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  /**
   * Stores `WAITING` readings of each of two kinds. Readings of the first kind were received in 2020, and their time is
   * a year earlier. Readings of the second kind were received in 2024, and their time is in the future. Returns how
   * many of these rows are read by the statement that deletes the stretch.
   */
  const reads = (statement: typeof futureOf, mode: Parameters<typeof explained>[2], from: string, until: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const stretch = { from: Timestamp.make(Date.parse(from)), until: Timestamp.make(Date.parse(until)) }
      yield* sql`DELETE FROM quarantined_fixes`
      for (const [received, year, reason] of [
        ["2020-06-01T00:00:00Z", 2019, "too_old"],
        ["2024-06-01T00:00:00Z", 2050, "future"]
      ] as const) {
        yield* sql`INSERT INTO quarantined_fixes (user_id, device_id, reading_key, reading, reason, received_at)
            SELECT ${OWNER}, 'dev_1', ${reason} || n,
              jsonb_build_object('capturedAt', ${Date.UTC(year)}::bigint + n), ${reason},
              ${received}::timestamptz + n * interval '1 second'
            FROM generate_series(1, ${WAITING}::integer) n`
      }
      yield* sql`ANALYZE quarantined_fixes`
      const plan = yield* explained(sql, statement(sql, OWNER, stretch), mode)
      return readsOf(plan, "quarantined_fixes").reduce((sum, rows) => sum + rows, 0)
    })

  const MODES = ["force_custom_plan", "force_generic_plan"] as const

  it.each(MODES)("reads each of its readings twice at most, with a %s [retention-choice-5]", (mode) =>
    run(
      Effect.gen(function* () {
        const read = yield* reads(futureOf, mode, "2024-06-01T00:00:00Z", "2024-06-02T00:00:00Z")
        expect(read).toBeGreaterThanOrEqual(WAITING)
        expect(read).toBeLessThanOrEqual(4 * WAITING)
      })
    )
  )

  it.each(MODES)("reads no reading that cannot come from the stretch, with a %s [retention-choice-5]", (mode) =>
    run(
      Effect.gen(function* () {
        for (const statement of [futureOf, putAsideOf]) {
          // The statement may read one row. PostgreSQL may begin a join with a row of one side before it finds that the
          // other side has no row.
          expect(yield* reads(statement, mode, "2022-01-01T00:00:00Z", "2022-01-31T00:00:00Z")).toBeLessThanOrEqual(1)
        }
      })
    )
  )
})
