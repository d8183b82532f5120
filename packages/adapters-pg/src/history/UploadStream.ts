import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@place-access/domain/shared"
import * as FixCounts from "./FixCounts.js"

/**
 * Locks the row at which all writers of this user's fixes queue, until the end of the transaction. `step` 1 also raises
 * the version: an upload or a derivation that has read the user's state before does not commit, and reads it again.
 */
export const lock = (sql: SqlClient, userId: UserId, step: 0 | 1) =>
  sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${userId}, ${step})
      ON CONFLICT (user_id) DO UPDATE SET version = stream.version + ${step},
        ${FixCounts.carried(sql, sql`stream.version + ${step}`)}`
