import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Delivery } from "@place-access/domain/deliveries"
import type { AppId, EndpointId, Timestamp } from "@place-access/domain/shared"
import type { Effect } from "effect"
import * as Rows from "../Rows.js"

/**
 * How many rows that wait in vain end at once. An endpoint may have any number, and whoever ends them holds locks and keeps
 * others waiting: 200,000 in one statement took seven seconds. Claims end the rest.
 */
export const SWEEP = 1_000

interface Ending {
  readonly appId: AppId
  readonly id: EndpointId
  /** Of the endpoint; its rows stay: they came after it was enabled again. Null when it is gone, with all that it had. */
  readonly epoch: number | null
  readonly reason: Delivery.FailReason
  readonly now: Timestamp.Timestamp
  readonly atMost: number
}

/**
 * Fails what waits for an endpoint and is not under way; answers how many. A row that another transaction holds is left: its
 * finish sees for itself that the endpoint is no more, and a claim that meets it ends it.
 */
export const endWaiting = (
  sql: SqlClient,
  { appId, atMost, epoch, id, now, reason }: Ending
): Effect.Effect<number, SqlError> =>
  Rows.affected(
    sql`WITH waiting AS (
          SELECT delivery_id FROM deliveries
          WHERE app_id = ${appId} AND endpoint_id = ${id} AND state = 'trying'
            AND (${epoch}::integer IS NULL OR endpoint_epoch <> ${epoch}::integer)
            AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})
          ORDER BY due_at LIMIT ${atMost} FOR UPDATE SKIP LOCKED
        )
        UPDATE deliveries d
        SET state = 'failed', fail_reason = ${reason}, due_at = NULL, ended_at = ${Rows.at(now)},
            lease = NULL, leased_until = NULL
        FROM waiting w WHERE d.app_id = ${appId} AND d.delivery_id = w.delivery_id`
  )
