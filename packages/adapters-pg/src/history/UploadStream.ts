import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@place-access/domain/shared"
import * as FixCounts from "./FixCounts.js"

/**
 * Locks the user's row of `upload_streams` until the end of the transaction. All writers of the user's fixes wait for
 * this lock. With `step` 1 the function also raises the version. Then an upload, a derivation of stays or a worker that
 * fires settled rules does not commit if it read the user's state before, and reads the state again.
 */
export const lock = (sql: SqlClient, userId: UserId, step: 0 | 1) =>
  sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${userId}, ${step})
      ON CONFLICT (user_id) DO UPDATE SET version = stream.version + ${step},
        ${FixCounts.carried(sql, sql`stream.version + ${step}`)}`
