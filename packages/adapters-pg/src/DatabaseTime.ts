import { SqlClient } from "@effect/sql/SqlClient"
import { program } from "@place-access/domain/shared"
import { Clock, Effect, Schema } from "effect"
import * as Failures from "./Failures.js"
import * as Rows from "./driver/Rows.js"

const Row = Schema.Struct({ millis: Schema.Number })

/**
 * The clock of this machine. A program may correct the `Clock` service by the measured offset, so the measurement must
 * not read that service.
 */
const hostClock = Clock.make()

const SAMPLES = 3

/**
 * How many milliseconds the database's clock is ahead of this machine's clock. The database reads its clock at an
 * unknown moment between question and answer, so this function assumes the middle. The function takes a few samples and
 * uses the quickest sample, whose error is the smallest. All samples are taken in one transaction, after its first
 * statement: a sample that had to wait for a free connection would show a wrong offset.
 *
 * The samples use the monotonic clock, and this machine's clock is read at the end. If the samples used this machine's
 * clock, and somebody set that clock during a sample, the sample would show a time that no clock had.
 */
export const offset = program(
  "DatabaseTime.offset",
  function* () {
    const sql = yield* SqlClient
    const sample = Effect.gen(function* () {
      const before = performance.now()
      const rows = yield* sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS millis`.pipe(Rows.all(Row))
      const took = performance.now() - before
      return { took, millis: rows[0]?.millis, at: before + took / 2 }
    })
    const samples = yield* sql.withTransaction(Effect.zipRight(sql`SELECT 1`, Effect.replicateEffect(sample, SAMPLES)))
    const { at, millis } = samples.reduce((best, one) => (one.took < best.took ? one : best))
    const host = hostClock.unsafeCurrentTimeMillis() - (performance.now() - at)
    return (millis ?? host) - host
  },
  Failures.orStoreError
)
