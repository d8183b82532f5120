import type { SqlClient } from "@effect/sql/SqlClient"
import type { Timestamp } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/**
 * SQL: the new value of `devices.stays_due_from`, so that the stays of a device are derived anew from the time `from`
 * on. The stays of an imported file that ended before stay as they are: the file has nothing to derive after its end.
 */
export const staysDueFrom = (sql: SqlClient, from: Timestamp.Timestamp) =>
  sql`CASE WHEN history_ends_at < ${Rows.at(from)}::timestamptz THEN stays_due_from
      ELSE least(stays_due_from, ${Rows.at(from)}::timestamptz) END`
