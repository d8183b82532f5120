import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Delivery } from "@place-access/domain/deliveries"
import type { AppId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Rows from "../Rows.js"

interface Ending {
  readonly appId: AppId
  readonly id: EndpointId
  readonly reason: Delivery.FailReason
  readonly now: Timestamp.Timestamp
}

/**
 * Fails what waits for an endpoint and is not under way. A row that another transaction holds is left: its finish sees for
 * itself that the endpoint is no more, and a claim that meets it ends it.
 */
export const endWaiting = (sql: SqlClient, { appId, id, reason, now }: Ending): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    sql`WITH waiting AS (
          SELECT delivery_id FROM deliveries
          WHERE app_id = ${appId} AND endpoint_id = ${id} AND state = 'trying'
            AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})
          FOR UPDATE SKIP LOCKED
        )
        UPDATE deliveries d
        SET state = 'failed', fail_reason = ${reason}, due_at = NULL, ended_at = ${Rows.at(now)},
            lease = NULL, leased_until = NULL
        FROM waiting w WHERE d.app_id = ${appId} AND d.delivery_id = w.delivery_id`
  )
