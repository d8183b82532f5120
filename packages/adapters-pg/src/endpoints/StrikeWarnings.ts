import type { SqlClient } from "@effect/sql/SqlClient"
import type { EndpointStore, StrikeWarning } from "@place-access/domain/endpoints"
import { AppId, DeliveryId, EndpointId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

/** The methods of `EndpointStore` for strike warnings. */

type Store = typeof EndpointStore.Service

/** A row of `strike_warnings`. */
const WarningRow = Schema.Struct({
  app_id: AppId,
  delivery_id: DeliveryId,
  endpoint_id: EndpointId,
  strikes: Schema.Int,
  warned_at: Rows.At
})

const toWarning = (row: typeof WarningRow.Type): StrikeWarning.StrikeWarning => ({
  appId: row.app_id,
  deliveryId: row.delivery_id,
  endpointId: row.endpoint_id,
  strikes: row.strikes,
  at: row.warned_at
})

export const list =
  (sql: SqlClient): Store["listWarnings"] =>
  (limit, after) =>
    sql`SELECT app_id, delivery_id, endpoint_id, strikes, warned_at FROM strike_warnings
        WHERE (app_id COLLATE "C", delivery_id COLLATE "C") > (${after?.appId ?? ""}, ${after?.deliveryId ?? ""})
        ORDER BY app_id COLLATE "C", delivery_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(WarningRow),
      Effect.map((rows) => rows.map(toWarning)),
      orStoreError
    )

export const forget =
  (sql: SqlClient): Store["forgetWarning"] =>
  ({ appId, deliveryId }) =>
    sql`DELETE FROM strike_warnings WHERE app_id = ${appId} AND delivery_id = ${deliveryId}`.pipe(
      Effect.asVoid,
      orStoreError
    )
