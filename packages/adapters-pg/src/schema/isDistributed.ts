import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * Whether the database has Citus. The answer is cached for a minute. Nearly every statement has one text for a cluster
 * and for a single server. A few of the most frequent statements have two texts. On a single server, one statement for
 * many users or apps is cheapest. On a cluster, that statement would be a transaction over several nodes, or Citus
 * would refuse it.
 */
export const isDistributed = (sql: SqlClient): Effect.Effect<boolean, SqlError> => {
  let known = false
  let askAfterMillis = -Infinity
  const ask = Effect.map(sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`, (rows) => rows.length > 0)
  // `Effect.cachedWithTTL` would cost too much: its lock takes more than a hundred steps of the fiber, for a value that
  // is nearly always cached. Two callers may send the statement at the same time, which does no harm.
  return Effect.clockWith((clock) => {
    const nowMillis = clock.unsafeCurrentTimeMillis()
    if (nowMillis < askAfterMillis) return Effect.succeed(known)
    return Effect.map(ask, (is) => {
      askAfterMillis = nowMillis + MINUTE_MILLIS
      return (known = is)
    })
  })
}

const MINUTE_MILLIS = 60_000
