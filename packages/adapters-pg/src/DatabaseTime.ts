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
 * returns the offset of the quickest sample, whose error is the smallest. All samples are taken in one transaction,
 * after its first statement: a sample that had to wait for a free connection would show a wrong offset.
 */
export const offset = program(
  "DatabaseTime.offset",
  function* () {
    const sql = yield* SqlClient
    const sample = Effect.gen(function* () {
      const before = hostClock.unsafeCurrentTimeMillis()
      const rows = yield* sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS millis`.pipe(Rows.all(Row))
      const after = hostClock.unsafeCurrentTimeMillis()
      return { took: after - before, offset: (rows[0]?.millis ?? before) - (before + after) / 2 }
    })
    const samples = yield* sql.withTransaction(Effect.zipRight(sql`SELECT 1`, Effect.replicateEffect(sample, SAMPLES)))
    return samples.reduce((best, one) => (one.took < best.took ? one : best)).offset
  },
  Failures.orStoreError
)
