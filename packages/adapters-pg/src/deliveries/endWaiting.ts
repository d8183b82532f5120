import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Delivery } from "@place-access/domain/deliveries"
import type { AppId, EndpointId, Timestamp } from "@place-access/domain/shared"
import type { Effect } from "effect"
import { byDueTime, mayTake, setting } from "./transitions.js"
import * as Rows from "../driver/Rows.js"

/**
 * The largest number of waiting deliveries that one statement ends. An endpoint may have any number of waiting
 * deliveries. The statement holds locks for which other statements wait, and 200,000 rows in one statement took seven
 * seconds. Later claims, or a repetition of the statement, end the deliveries that are left.
 */
export const SWEEP = 1_000

interface Ending {
  readonly appId: AppId
  readonly id: EndpointId
  /**
   * The endpoint's epoch when the caller read it. Deliveries of this epoch and of later epochs stay, because they came
   * after the endpoint was enabled again. A later epoch is possible: the endpoint may have been disabled and enabled
   * since the caller read its row. Null: the endpoint was removed, and all its deliveries end.
   */
  readonly epoch: number | null
  readonly reason: Delivery.FailReason
  readonly now: Timestamp.Timestamp
  readonly atMost: number
}

/**
 * Fails deliveries that wait for an endpoint and are not in flight, at most `atMost`; returns how many. A row that
 * another transaction has locked is skipped. Either that transaction finishes the delivery and notices that the
 * endpoint was disabled or removed, or a later claim fails the delivery.
 */
export const endWaiting = (
  sql: SqlClient,
  { appId, atMost, epoch, id, now, reason }: Ending
): Effect.Effect<number, SqlError> =>
  Rows.affected(
    sql`WITH waiting AS (
          SELECT delivery_id, ${reason}::text AS fail_reason, ${Rows.at(now)}::timestamptz AS ended_at FROM deliveries
          WHERE app_id = ${appId} AND endpoint_id = ${id} AND ${sql.literal(WAITS)}
            AND (${epoch}::integer IS NULL OR endpoint_epoch < ${epoch}::integer)
            AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})
          ORDER BY ${sql.literal(BY_DUE_TIME)} LIMIT ${atMost} FOR UPDATE SKIP LOCKED
        )
        UPDATE deliveries d SET ${sql.literal(FAIL)}
        FROM waiting w WHERE d.app_id = ${appId} AND d.delivery_id = w.delivery_id`
  )

const BY_DUE_TIME = byDueTime("deliveries")
const WAITS = mayTake("Failed", "state")
const FAIL = setting(["Failed"], "w")
