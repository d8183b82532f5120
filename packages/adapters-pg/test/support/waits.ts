import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Whether some statement waits for a lock. On a cluster the statement waits on the node of its rows. */
export const waits = (sql: SqlClient) =>
  Effect.gen(function* () {
    const [cluster] = yield* sql<{ readonly view: string | null }>`SELECT to_regclass('citus_lock_waits')::text AS view`
    const [row] = yield* cluster?.view == null
      ? Effect.zipRight(
          // In a transaction, `pg_stat_activity` shows the same activity until the transaction clears its snapshot.
          sql`SELECT pg_stat_clear_snapshot()`,
          sql<{ readonly waiting: number }>`SELECT count(*)::int AS waiting FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`
        )
      : sql<{ readonly waiting: number }>`SELECT count(*)::int AS waiting FROM citus_lock_waits`
    return (row?.waiting ?? 0) > 0
  })
