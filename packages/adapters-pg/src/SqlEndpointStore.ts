import { SqlClient } from "@effect/sql/SqlClient"
import { EndpointStore, type StrikeWarning, WebhookEndpoint } from "@place-access/domain/endpoints"
import { AppId, DeliveryId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "./client/Client.js"
import { endWaiting, SWEEP } from "./deliveries/endWaiting.js"
import { EndpointRow, toEndpoint, toSecrets } from "./EndpointRow.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

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

const Count = Schema.Struct({ count: Rows.Bigint })

export const layer: Layer.Layer<EndpointStore, never, SqlClient> = Layer.effect(
  EndpointStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(EndpointRow.fields).join(", "))

    const insert = (endpoint: WebhookEndpoint.WebhookEndpoint) =>
      sql`INSERT INTO endpoints (app_id, endpoint_id, url, events, description, disabled_at, epoch, strikes, secrets,
                                 created_at)
          VALUES (${endpoint.appId}, ${endpoint.id}, ${endpoint.url}, ${endpoint.events}, ${endpoint.description},
                  ${Rows.nullableAt(endpoint.disabledAt)}, ${endpoint.epoch}, ${endpoint.strikes},
                  ${toSecrets(endpoint.secrets)}::jsonb, ${Rows.at(endpoint.createdAt)})`

    const write = (appId: AppId, id: EndpointId, endpoint: WebhookEndpoint.WebhookEndpoint) =>
      sql`UPDATE endpoints SET
            url = ${endpoint.url},
            events = ${endpoint.events},
            description = ${endpoint.description},
            disabled_at = ${Rows.nullableAt(endpoint.disabledAt)},
            epoch = ${endpoint.epoch},
            strikes = ${endpoint.strikes},
            secrets = ${toSecrets(endpoint.secrets)}::jsonb
          WHERE app_id = ${appId} AND endpoint_id = ${id}`

    return EndpointStore.of({
      create: (endpoint) =>
        Effect.gen(function* () {
          // Two creations of one app queue up here. The count is a statement of its own: it sees what the other one made.
          yield* sql`SELECT 1 FROM apps WHERE app_id = ${endpoint.appId} FOR NO KEY UPDATE`
          const [{ count }] = yield* sql`SELECT count(*) FROM endpoints WHERE app_id = ${endpoint.appId}`.pipe(
            Rows.all(Count),
            Effect.map(([row]) => [row ?? { count: 0 }] as const)
          )
          if (count >= WebhookEndpoint.MAX_PER_APP) return false
          yield* insert(endpoint)
          return true
        }).pipe(sql.withTransaction, orStoreError),

      find: (appId, id) =>
        sql`SELECT ${columns} FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${id}`.pipe(
          Rows.first(EndpointRow),
          Effect.map(Option.map(toEndpoint)),
          orStoreError
        ),

      list: (appId) =>
        reads(sql)`SELECT ${columns} FROM endpoints WHERE app_id = ${appId}
            ORDER BY created_at, endpoint_id COLLATE "C"`.pipe(
          Rows.all(EndpointRow),
          Effect.map((rows) => rows.map(toEndpoint)),
          orStoreError
        ),

      update: (appId, id, change) =>
        Effect.gen(function* () {
          const before =
            yield* sql`SELECT ${columns} FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${id} FOR UPDATE`.pipe(
              Rows.first(EndpointRow)
            )
          if (Option.isNone(before)) return Option.none()
          const stored = toEndpoint(before.value)
          const { createdAt } = stored
          const after = { ...change(stored, yield* Timestamp.now), appId, id, createdAt }
          yield* write(appId, id, after)
          return Option.some(after)
        }).pipe(sql.withTransaction, orStoreError),

      remove: (appId, id) =>
        Effect.gen(function* () {
          const gone = yield* Rows.affected(sql`DELETE FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${id}`)
          if (gone === 0) return false
          const now = yield* Timestamp.now
          yield* endWaiting(sql, { appId, id, epoch: null, reason: "endpoint_removed", now, atMost: SWEEP })
          return true
        }).pipe(sql.withTransaction, orStoreError),

      listWarnings: (limit, after) =>
        sql`SELECT app_id, delivery_id, endpoint_id, strikes, warned_at FROM strike_warnings
            WHERE (app_id COLLATE "C", delivery_id COLLATE "C") > (${after?.appId ?? ""}, ${after?.deliveryId ?? ""})
            ORDER BY app_id COLLATE "C", delivery_id COLLATE "C" LIMIT ${limit}`.pipe(
          Rows.all(WarningRow),
          Effect.map((rows) => rows.map(toWarning)),
          orStoreError
        ),

      forgetWarning: ({ appId, deliveryId }) =>
        sql`DELETE FROM strike_warnings WHERE app_id = ${appId} AND delivery_id = ${deliveryId}`.pipe(
          Effect.asVoid,
          orStoreError
        )
    })
  })
)
