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

/**
 * Locks the apps that an account owns, and the apps in whose teams it is. The deletion or the suspension of an account
 * takes this lock instead of `lockApps`. Otherwise the deletion of the holder of an app could hand the app over to an
 * account that is being deleted or suspended at the same time.
 */
export const lockTeams = (sql: SqlClient, userId: UserId) =>
  sql`SELECT 1 FROM apps
      WHERE app_id IN (SELECT app_id FROM apps WHERE owner_id = ${userId}
                       UNION ALL SELECT app_id FROM app_members WHERE user_id = ${userId})
      ORDER BY app_id FOR UPDATE`
