import type { SqlClient } from "@effect/sql/SqlClient"
import type { Timestamp } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/**
 * SQL: the new value of `devices.stays_due_from`, so that the stays of a device are derived anew from the time `from`
 * on. If the last entry of an imported file is from before `from`, the stays of this file do not change: there is
 * nothing to derive after its last entry.
 */
export const staysDueFrom = (sql: SqlClient, from: Timestamp.Timestamp) =>
  sql`CASE WHEN history_ends_at < ${Rows.at(from)}::timestamptz THEN stays_due_from
      ELSE least(stays_due_from, ${Rows.at(from)}::timestamptz) END`
