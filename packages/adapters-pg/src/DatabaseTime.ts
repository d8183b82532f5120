import { SqlClient } from "@effect/sql/SqlClient"
import { program } from "@place-access/domain/shared"
import { Clock, Effect, Schema } from "effect"
import * as Failures from "./Failures.js"
import * as Rows from "./driver/Rows.js"

const Row = Schema.Struct({ millis: Schema.Number })

/** The host's clock. This measurement may correct the program's own clock, so that clock cannot be used to measure. */
const hostClock = Clock.make()

const SAMPLES = 3

/**
 * How many milliseconds the database's clock is ahead of this machine's clock. The database reads its clock at an
 * unknown moment between the question and the answer, so the middle is assumed. Of a few samples the quickest has the
 * smallest error.
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
    const samples = yield* Effect.replicateEffect(sample, SAMPLES)
    return samples.reduce((best, one) => (one.took < best.took ? one : best)).offset
  },
  Failures.orStoreError
)
