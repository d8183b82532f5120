import { SqlClient } from "@effect/sql/SqlClient"
import type { AdmitsChange } from "@place-access/domain/apps"
import { AccountDeletion } from "@place-access/domain/deletions"
import { EndpointStore, WebhookEndpoint } from "@place-access/domain/endpoints"
import { type AppId, type EndpointId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { endWaiting, SWEEP } from "../deliveries/endWaiting.js"
import { reads } from "../driver/Client.js"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { toHeaders } from "../vault/EndpointHeaders.js"
import { toSecrets } from "../vault/SigningSecrets.js"
import { activeMembersOf } from "../teams/SqlTeamStore.js"
import { COLUMNS, EndpointRow, toEndpoint } from "./EndpointRow.js"
import * as StrikeWarnings from "./StrikeWarnings.js"

type Store = typeof EndpointStore.Service

export const layer: Layer.Layer<EndpointStore, never, SqlClient> = Layer.effect(
  EndpointStore,
  Effect.map(SqlClient, (sql) =>
    EndpointStore.of({
      create: create(sql),
      find: find(sql),
      list: list(sql),
      update: update(sql),
      remove: remove(sql),
      listWarnings: StrikeWarnings.list(sql),
      forgetWarning: StrikeWarnings.forget(sql)
    })
  )
)

const AppRow = Schema.Struct({ owner_id: UserId, suspended_at: Rows.NullableAt, revoked_at: Rows.NullableAt })
const Count = Schema.Struct({ count: Rows.Bigint })

const create =
  (sql: SqlClient): Store["create"] =>
  (endpoint, audit, admits) =>
    Effect.gen(function* () {
      // Because of the lock of the app's row, two endpoints of one app are created one after the other. The count is a
      // separate statement, so that it sees an endpoint that another creation made before.
      const app = yield* lockApp(sql, endpoint.appId)
      if (Option.isNone(app) || app.value.owner_id === AccountDeletion.NOBODY.id) return "app_gone"
      if (!(yield* isAdmitted(sql, endpoint.appId, app.value, admits))) return "refused"
      const counted = yield* sql`SELECT count(*) FROM endpoints WHERE app_id = ${endpoint.appId}`.pipe(
        Rows.first(Count)
      )
      if (Option.exists(counted, ({ count }) => count >= WebhookEndpoint.MAX_PER_APP)) return "full"
      yield* insert(sql, endpoint)
      if (audit !== undefined) yield* AuditLog.append(sql, audit)
      return "created"
    }).pipe(sql.withTransaction, orStoreError)

/**
 * Locks the app's row. A change of the app's team, and a suspension of an account in the team, also lock this row. So
 * nobody joins or leaves the team, and nobody in it is suspended, until this transaction ends.
 */
const lockApp = (sql: SqlClient, appId: AppId) =>
  sql`SELECT owner_id, suspended_at, revoked_at FROM apps WHERE app_id = ${appId} FOR NO KEY UPDATE`.pipe(
    Rows.first(AppRow)
  )

const isAdmitted = (sql: SqlClient, appId: AppId, app: typeof AppRow.Type, admits: AdmitsChange | undefined) =>
  admits === undefined
    ? Effect.succeed(true)
    : Effect.map(activeMembersOf(sql, appId), (members) =>
        admits({ ownerId: app.owner_id, suspendedAt: app.suspended_at, revokedAt: app.revoked_at }, members)
      )

const insert = (sql: SqlClient, endpoint: WebhookEndpoint.WebhookEndpoint) =>
  sql`INSERT INTO endpoints (app_id, endpoint_id, url, events, description, disabled_at, epoch, strikes, secrets,
                             headers, created_at)
      VALUES (${endpoint.appId}, ${endpoint.id}, ${endpoint.url}, ${endpoint.events}, ${endpoint.description},
              ${Rows.nullableAt(endpoint.disabledAt)}, ${endpoint.epoch}, ${endpoint.strikes},
              ${toSecrets(endpoint.secrets)}::jsonb, ${toHeaders(endpoint.headers)}::jsonb,
              ${Rows.at(endpoint.createdAt)})`

const find =
  (sql: SqlClient): Store["find"] =>
  (appId, id) =>
    sql`SELECT ${COLUMNS} FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${id}`.pipe(
      Rows.first(EndpointRow),
      Effect.map(Option.map(toEndpoint)),
      orStoreError
    )

/**
 * The fan-out of events reads the endpoints of many apps, so this statement is sent with `reads`, on connections that
 * many requests share.
 */
const list =
  (sql: SqlClient): Store["list"] =>
  (appId) =>
    reads(sql)`SELECT ${COLUMNS} FROM endpoints WHERE app_id = ${appId}
               ORDER BY created_at, endpoint_id COLLATE "C"`.pipe(
      Rows.all(EndpointRow),
      Effect.map((rows) => rows.map(toEndpoint)),
      orStoreError
    )

const update =
  (sql: SqlClient): Store["update"] =>
  (appId, id, change, audit, admits) =>
    Effect.gen(function* () {
      if (admits !== undefined) {
        const app = yield* lockApp(sql, appId)
        if (Option.isNone(app) || !(yield* isAdmitted(sql, appId, app.value, admits))) return Option.none()
      }
      const before = yield* lock(sql, appId, id)
      if (Option.isNone(before)) return Option.none()
      const stored = toEndpoint(before.value)
      const { createdAt } = stored
      const now = yield* Timestamp.now
      const after = { ...change(stored, now), appId, id, createdAt }
      yield* write(sql, after)
      const event = audit?.(now)
      if (event !== undefined) yield* AuditLog.append(sql, event)
      return Option.some(after)
    }).pipe(sql.withTransaction, orStoreError)

const lock = (sql: SqlClient, appId: AppId, id: EndpointId) =>
  sql`SELECT ${COLUMNS} FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${id} FOR UPDATE`.pipe(
    Rows.first(EndpointRow)
  )

const write = (sql: SqlClient, endpoint: WebhookEndpoint.WebhookEndpoint) =>
  sql`UPDATE endpoints SET
        url = ${endpoint.url},
        events = ${endpoint.events},
        description = ${endpoint.description},
        disabled_at = ${Rows.nullableAt(endpoint.disabledAt)},
        epoch = ${endpoint.epoch},
        strikes = ${endpoint.strikes},
        secrets = ${toSecrets(endpoint.secrets)}::jsonb,
        headers = ${toHeaders(endpoint.headers)}::jsonb
      WHERE app_id = ${endpoint.appId} AND endpoint_id = ${endpoint.id}`

const remove =
  (sql: SqlClient): Store["remove"] =>
  (appId, id) =>
    Effect.gen(function* () {
      const gone = yield* Rows.affected(sql`DELETE FROM endpoints WHERE app_id = ${appId} AND endpoint_id = ${id}`)
      if (gone === 0) return false
      const now = yield* Timestamp.now
      yield* endWaiting(sql, { appId, id, epoch: null, reason: "endpoint_removed", now, atMost: SWEEP })
      return true
    }).pipe(sql.withTransaction, orStoreError)
