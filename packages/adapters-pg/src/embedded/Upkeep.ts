import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Layer, Option, type ParseResult, Schedule, Schema } from "effect"
import * as Rows from "../Rows.js"

/** How often to look whether there is something to do. */
const LOOK = Schedule.spaced("1 minute")
/** So many bytes of log written since the last time: enough changed rows for the planner's figures to be off. */
const WORTHWHILE = 4 * 1024 * 1024

const Position = Schema.Struct({ written: Rows.Bigint })
const Table = Schema.Struct({ name: Schema.String })

/** Bytes of write-ahead log since the database was made. */
const written: Effect.Effect<number, SqlError | ParseResult.ParseError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const row = yield* sql`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS written`.pipe(
    Rows.first(Position)
  )
  return Option.match(row, { onNone: () => 0, onSome: ({ written }) => written })
})

/**
 * What a server's background processes do and an embedded database has nobody for: figures for the planner (without them the
 * write path runs at 40 %), space of deleted rows, and a checkpoint, so that a start after a crash has little to replay. One
 * table at a time: each statement holds the process up.
 */
export const upkeep: Effect.Effect<void, SqlError | ParseResult.ParseError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql`SELECT relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`.pipe(Rows.all(Table))
  for (const { name } of tables) {
    yield* sql`VACUUM (ANALYZE) ${sql(name)}`
    yield* Effect.yieldNow()
  }
  yield* sql`CHECKPOINT`
})

/** Does the upkeep once in a while, when enough was written. By the host's clock: it is about files, not about our users. */
export const layer: Layer.Layer<never, never, SqlClient> = Layer.scopedDiscard(
  Effect.gen(function* () {
    let done = 0
    const look = Effect.gen(function* () {
      const now = yield* written
      if (now - done < WORTHWHILE) return
      yield* upkeep
      done = yield* written
    })
    yield* look.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("upkeep of the embedded database failed", cause)),
      Effect.schedule(LOOK),
      Effect.withClock(Clock.make()),
      Effect.forkScoped
    )
  })
)
