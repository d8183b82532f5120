import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { AppId, DeliveryId } from "@place-access/domain/shared"
import { Array as Arrays, Effect, type ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { finishOnCluster } from "./finishOnCluster.js"
import { type ClaimedRow, type FinishedDelivery, writing } from "./finishStatement.js"

/**
 * The largest number of statements that run at the same time. Each statement is for one app, because an app's rows are
 * on one node of a cluster.
 */
const APPS_AT_ONCE = 4

const HeldRow = Schema.Struct({ app_id: AppId, delivery_id: DeliveryId, lease: Schema.String })

const keyOf = ({ appId, id, lease }: ClaimedRow): string => `${appId} ${id} ${lease}`

/**
 * Finishes deliveries that end at the same time, in one statement for each app (on a cluster: in one transaction).
 * Returns for each delivery, in the same order, whether it still had its lease. The order within a statement does not
 * matter: a success only sets the endpoint's strikes to 0, and a strike, a failure that counts against the endpoint,
 * never shares a statement (`mayShare`).
 */
export const finishMany = (
  sql: SqlClient,
  finished: ReadonlyArray<FinishedDelivery>,
  onCluster: boolean
): Effect.Effect<ReadonlyArray<boolean>, SqlError | ParseResult.ParseError> => {
  // When the same delivery is finished twice under the same lease, only the first finish succeeds, as it would in two
  // separate statements.
  const distinct = new Map<string, FinishedDelivery>()
  for (const one of finished) {
    const key = keyOf(one.held)
    if (!distinct.has(key)) distinct.set(key, one)
  }
  const byApp = Object.entries(Arrays.groupBy([...distinct.values()], ({ held }) => held.appId))
  const write = ([appId, ofApp]: readonly [string, ReadonlyArray<FinishedDelivery>]) =>
    onCluster ? finishOnCluster(sql, AppId.make(appId), ofApp) : writing(sql, AppId.make(appId), ofApp)
  return Effect.forEach(byApp, (one) => Effect.flatMap(write(one), Rows.read(HeldRow)), {
    concurrency: APPS_AT_ONCE
  }).pipe(
    Effect.map((rows) => {
      const held = rows.flat()
      const written = new Set(held.map(({ app_id: appId, delivery_id: id, lease }) => keyOf({ appId, id, lease })))
      return finished.map((one) => {
        const key = keyOf(one.held)
        return distinct.get(key) === one && written.has(key)
      })
    })
  )
}
