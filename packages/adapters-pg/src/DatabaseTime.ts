import { SqlClient } from "@effect/sql/SqlClient"
import type { StoreError } from "@place-access/domain/shared"
import { Clock, Effect, Schema } from "effect"
import * as Failures from "./Failures.js"
import * as Rows from "./Rows.js"

const Row = Schema.Struct({ millis: Schema.Number })

/** The host's, not the program's, which may be corrected by what is measured here. */
const hostClock = Clock.make()

const SAMPLES = 3

/**
 * How far the database's clock is ahead of this machine's, in milliseconds. Of a few measurements the quickest counts: the database read its
 * clock at some moment between question and answer, taken to be the middle.
 */
export const offset: Effect.Effect<number, StoreError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const sample = Effect.gen(function* () {
    const before = hostClock.unsafeCurrentTimeMillis()
    const rows = yield* sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS millis`.pipe(Rows.all(Row))
    const after = hostClock.unsafeCurrentTimeMillis()
    return { took: after - before, offset: (rows[0]?.millis ?? before) - (before + after) / 2 }
  })
  const samples = yield* Effect.replicateEffect(sample, SAMPLES)
  return samples.reduce((best, one) => (one.took < best.took ? one : best)).offset
}).pipe(Failures.orStoreError, Effect.withSpan("DatabaseTime.offset"))
