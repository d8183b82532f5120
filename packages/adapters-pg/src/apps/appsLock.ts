import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@place-access/domain/shared"

/**
 * Locks the apps that an account owns. A transaction that locks an account and also writes to `apps` or `app_members`
 * takes this lock first: on a cluster, a lock of one row of `apps` locks the whole table, also when the account owns no
 * app, and then the table `accounts`, to which `apps` refers. A transaction that locked `accounts` first would deadlock
 * with a hand-over of any app, which locks the app and then the account of its next owner.
 */
export const lockApps = (sql: SqlClient, ownerId: UserId) =>
  sql`SELECT 1 FROM apps WHERE owner_id = ${ownerId} ORDER BY app_id FOR UPDATE`
