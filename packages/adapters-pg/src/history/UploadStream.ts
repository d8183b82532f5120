import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@place-access/domain/shared"
import * as FixCounts from "./FixCounts.js"

/**
 * Locks the row at which all writers of this user's fixes queue, until the end of the transaction. With `step` 1 it
 * also raises the version. An upload, or a derivation of stays, that has read the user's state before then does not
 * commit, and reads the state again.
 */
export const lock = (sql: SqlClient, userId: UserId, step: 0 | 1) =>
  sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${userId}, ${step})
      ON CONFLICT (user_id) DO UPDATE SET version = stream.version + ${step},
        ${FixCounts.carried(sql, sql`stream.version + ${step}`)}`
