import { SqlClient } from "@effect/sql/SqlClient"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { futureOf } from "../../src/retention-choice/Erasures.js"
import { migratedPostgres, withStores } from "../support/contracts.js"
import { explained, readsOf } from "../support/plans.js"
import { describePg } from "../support/postgres.js"

const WAITING = 1_000

describePg("plans", "what it costs to delete a stretch, for a phone whose clock was ahead for a day", () => {
  const run = withStores(migratedPostgres, Layer.empty)

  it.each(["force_custom_plan", "force_generic_plan"] as const)(
    "reads each of its readings from the future twice at most, with a %s [retention-choice-5]",
    (mode) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`DELETE FROM quarantined_fixes`
          yield* sql`INSERT INTO quarantined_fixes (user_id, device_id, reading_key, reading, reason, received_at)
              SELECT 'usr_1', 'dev_1', 'key_' || n,
                jsonb_build_object('capturedAt', (extract(epoch FROM now()) * 1000)::bigint + n), 'future',
                now() - n * interval '1 minute'
              FROM generate_series(1, ${WAITING}::integer) n`
          yield* sql`ANALYZE quarantined_fixes`
          const early = { from: Timestamp.make(0), until: Timestamp.make(Timestamp.HOUR) }
          const plan = yield* explained(sql, futureOf(sql, UserId.make("usr_1"), early), mode)
          const reads = readsOf(plan, "quarantined_fixes").reduce((sum, rows) => sum + rows, 0)
          expect(reads).toBeGreaterThan(0)
          expect(reads).toBeLessThanOrEqual(2 * WAITING)
        })
      )
  )
})
