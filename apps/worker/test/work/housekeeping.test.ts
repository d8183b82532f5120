import { SqlClient } from "@effect/sql/SqlClient"
import { Timestamp } from "@place-access/domain/shared"
import { Clock, DateTime, Effect, Fiber, Layer, TestClock } from "effect"
import { describe, expect, it } from "vitest"
import { withStores } from "../../../../packages/adapters-pg/test/support/contracts.js"
import { migratedEmbedded } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { housekeeping } from "../../src/work/Housekeeping.js"

/** Waits in real time, because the database works in real time. */
const moment = Effect.withClock(Effect.sleep("20 millis"), Clock.make())

const monthAfter = (now: Timestamp.Timestamp, months: number): string =>
  DateTime.formatIso(DateTime.add(DateTime.startOf(DateTime.unsafeMake(now), "month"), { months }))
    .slice(0, 7)
    .replace("-", "_")

const untilThere = (month: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.repeat(
      Effect.zipRight(moment, sql`SELECT 1 FROM pg_class WHERE relname = ${`fixes_${month}`} AND relispartition`),
      { until: (rows) => rows.length > 0 }
    )
  )

describe("the months of a worker", () => {
  const run = withStores(migratedEmbedded, Layer.empty)

  it("every worker makes them, also without a lease: at its start, and then every hour [sweeps-1, leases-3]", () =>
    run(
      Effect.gen(function* () {
        const working = yield* Effect.fork(housekeeping(0))
        const now = yield* Timestamp.now
        yield* untilThere(monthAfter(now, 2))
        yield* TestClock.adjust("70 days")
        const later = monthAfter(yield* Timestamp.now, 2)
        // The first run may still be at work when the clock moves by 70 days. Its sleep of an hour then begins after
        // this move. So the test moves the clock by an hour, repeatedly, until the next run has made its partitions.
        yield* Effect.raceFirst(untilThere(later), Effect.forever(Effect.zipRight(moment, TestClock.adjust("1 hour"))))
        expect(working.unsafePoll()).toBeNull()
        yield* Fiber.interrupt(working)
      })
    ))
})
