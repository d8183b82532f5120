import type { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { isDistributed } from "../schema/isDistributed.js"

/**
 * On a cluster, a transaction that locks an account and then writes to `apps` or `app_members` takes this lock first. A
 * cluster locks the whole table `apps` when a transaction locks rows of it, even if the statement finds no row, and
 * then the table `accounts`, to which `apps` refers. A transaction that locked `accounts` first would deadlock with a
 * hand-over of any app, which locks the app and then the account of its next owner.
 *
 * On a single server, which locks rows only, the function takes no lock, because there the lock could cause a deadlock.
 * For example, one transaction accepts an invitation and stores the answer (decision idempotency-4). With the lock,
 * this transaction would lock the apps of the invited account first and the app of the team later. The deletion of
 * another account of the team locks the same apps in the order of their ids.
 */
export const lockAppsOnCluster = (sql: SqlClient) => {
  const onCluster = isDistributed(sql)
  return (ownerId: UserId) =>
    Effect.flatMap(onCluster, (isCluster) =>
      isCluster
        ? Effect.asVoid(sql`SELECT 1 FROM apps WHERE owner_id = ${ownerId} ORDER BY app_id FOR UPDATE`)
        : Effect.void
    )
}
export type LockAppsOnCluster = ReturnType<typeof lockAppsOnCluster>

/**
 * Locks the apps that an account owns, and the apps in whose teams it is. A deletion of an account, and each change of
 * an account by staff (for example a suspension), takes this lock on single servers and on clusters. Without it, the
 * deletion of an app's holder could hand the app over to an account that is being deleted or suspended at the same
 * time.
 */
export const lockTeams = (sql: SqlClient, userId: UserId) =>
  sql`SELECT 1 FROM apps
      WHERE app_id IN (SELECT app_id FROM apps WHERE owner_id = ${userId}
                       UNION ALL SELECT app_id FROM app_members WHERE user_id = ${userId})
      ORDER BY app_id FOR UPDATE`
