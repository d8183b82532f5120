import { SqlClient } from "@effect/sql/SqlClient"
import { EndpointStore, WebhookEndpoint } from "@place-access/domain/endpoints"
import { type AppId, type EndpointId, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { endWaiting } from "./deliveries/endWaiting.js"
import { EndpointRow, toEndpoint, toSecrets } from "./EndpointRow.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

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
        sql`SELECT ${columns} FROM endpoints WHERE app_id = ${appId}
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
          yield* endWaiting(sql, { appId, id, reason: "endpoint_removed", now: yield* Timestamp.now })
          return true
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
