import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { AppId, DeliveryId } from "@place-access/domain/shared"
import { Array as Arrays, Effect, type ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { finishOnCluster } from "./finishOnCluster.js"
import { type ClaimedRow, type FinishedDelivery, writing } from "./finishStatement.js"

/** Apps whose deliveries are finished at the same time: an app's rows lie on one node of a cluster. */
const APPS_AT_ONCE = 4

const HeldRow = Schema.Struct({ app_id: AppId, delivery_id: DeliveryId, lease: Schema.String })

const keyOf = ({ appId, id, lease }: ClaimedRow): string => `${appId} ${id} ${lease}`

/**
 * `DeliveryStore.finish` for deliveries that end at the same time, in one statement; returns the results in the same
 * order. A strike comes alone, so the order of the others does not matter: an arrival only resets the counter.
 */
export const finishMany = (
  sql: SqlClient,
  finished: ReadonlyArray<FinishedDelivery>,
  onCluster: boolean
): Effect.Effect<ReadonlyArray<boolean>, SqlError | ParseResult.ParseError> => {
  // When the same delivery is finished twice under the same lease, only the first one succeeds, as if they had come
  // one after the other.
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
