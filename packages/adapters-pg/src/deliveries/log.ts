import type { SqlClient } from "@effect/sql/SqlClient"
import type { Delivery, DeliveryFilter } from "@place-access/domain/deliveries"
import { type AppId, type DeliveryId, Page } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { AttemptRow, DeliveryRow, toAttempt, toDelivery } from "./DeliveryRow.js"

/** Implements `DeliveryStore.find` and `list`, the developer's log of deliveries. */

const FoundRow = Schema.Struct({ ...DeliveryRow.fields, is_replayed: Schema.Boolean })

/** A delivery with its newest attempt. The `last_` columns are all null when the delivery has no attempt. */
const LoggedRow = Schema.Struct({
  ...FoundRow.fields,
  last_attempt: Schema.NullOr(Schema.Int),
  last_started_at: Rows.NullableAt,
  last_ended_at: Rows.NullableAt,
  last_status: Schema.NullOr(Schema.Int),
  last_error: Schema.NullOr(Schema.String),
  last_snippet: Schema.NullOr(Schema.String)
})

const toLogged = (row: typeof LoggedRow.Type): Delivery.Logged => ({
  delivery: toDelivery(row),
  isReplayed: row.is_replayed,
  lastAttempt:
    row.last_attempt === null || row.last_started_at === null || row.last_ended_at === null
      ? null
      : {
          attempt: row.last_attempt,
          startedAt: row.last_started_at,
          endedAt: row.last_ended_at,
          status: row.last_status,
          error: row.last_error,
          snippet: row.last_snippet
        }
})

const COLUMNS = Rows.columns(DeliveryRow, "d")
const ATTEMPT_COLUMNS = Rows.columns(AttemptRow)

/**
 * Whether the delivery was replayed. A program from before migration 0025 does not mark a replayed delivery. Then a row
 * of the same event and endpoint with a greater `replay_no` shows that there was a replay.
 *
 * Each table of the statement is compared with the parameter `appId`: with `later.app_id = d.app_id`, Citus would ask
 * every shard.
 */
const isReplayed = (sql: SqlClient, appId: AppId) =>
  sql`(d.is_replayed OR EXISTS (
      SELECT 1 FROM deliveries later WHERE later.app_id = ${appId} AND later.event_id = d.event_id
        AND later.endpoint_id = d.endpoint_id AND later.replay_no > d.replay_no)) AS is_replayed`

export const find = (sql: SqlClient, appId: AppId, id: DeliveryId) =>
  Effect.gen(function* () {
    const row = yield* sql`SELECT ${COLUMNS}, ${isReplayed(sql, appId)} FROM deliveries d
                                 WHERE d.app_id = ${appId} AND d.delivery_id = ${id}`.pipe(Rows.first(FoundRow))
    if (Option.isNone(row)) return Option.none()
    const attempts = yield* sql`SELECT ${ATTEMPT_COLUMNS} FROM delivery_attempts
                                      WHERE app_id = ${appId} AND delivery_id = ${id}
                                      ORDER BY started_at, attempt`.pipe(Rows.all(AttemptRow))
    return Option.some({
      delivery: toDelivery(row.value),
      isReplayed: row.value.is_replayed,
      attempts: attempts.map(toAttempt)
    })
  })

/**
 * The conditions of a filter for the status of a delivery's newest attempt. PostgreSQL reads this attempt for each
 * delivery that meets the other conditions. A delivered delivery has a status of 2xx. So a filter for another status
 * first leaves out all delivered deliveries: otherwise PostgreSQL would read an attempt of every delivery of the app.
 */
const answered = (sql: SqlClient, status: number | null) => [
  ...(status !== null && status >= 200 && status < 300 ? [] : [sql`d.state <> 'delivered'`]),
  status === null ? sql`a.attempt IS NOT NULL AND a.status IS NULL` : sql`a.status = ${status}`
]

/**
 * An SQL condition: the developer's log shows the kind and the time of the delivery's event (the opposite of
 * `Delivery.isWithheld`).
 */
const isShown = (sql: SqlClient) =>
  sql`(a.attempt IS NOT NULL OR d.is_test OR d.fail_reason IS NULL AND d.replay_no = 0)`

/**
 * An SQL condition: a delivery is in the given state. The SQL has the state as a literal, because PostgreSQL would use
 * no partial index for a parameter.
 */
const isIn = (sql: SqlClient, state: Delivery.DeliveryState) => sql`d.state = ${sql.literal(`'${state}'`)}`

/** Selects one more delivery than `limit`, so that the caller knows whether there is another page. */
export const page = (
  sql: SqlClient,
  appId: AppId,
  { endpointId, eventId, failReason, from, leavesOutWithheld, state, status, to, types }: DeliveryFilter,
  limit: number,
  position: TimePosition.TimePosition | undefined
) => {
  const conditions = [
    sql`d.app_id = ${appId}`,
    ...(endpointId === undefined ? [] : [sql`d.endpoint_id = ${endpointId}`]),
    ...(eventId === undefined ? [] : [sql`d.event_id = ${eventId}`]),
    ...(types === undefined ? [] : [sql`d.type = ANY(${types}::text[])`]),
    ...(leavesOutWithheld === true ? [isShown(sql)] : []),
    ...(state === undefined ? [] : [isIn(sql, state)]),
    ...(failReason === undefined ? [] : [isIn(sql, "failed"), sql`d.fail_reason = ${failReason}`]),
    ...(status === undefined ? [] : answered(sql, status)),
    ...(from === undefined ? [] : [sql`d.created_at >= ${Rows.at(from)}`]),
    ...(to === undefined ? [] : [sql`d.created_at < ${Rows.at(to)}`]),
    ...(position === undefined
      ? []
      : [sql`(d.created_at, d.delivery_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`])
  ]
  return sql`SELECT ${COLUMNS}, ${isReplayed(sql, appId)}, a.attempt AS last_attempt, a.started_at AS last_started_at,
              a.ended_at AS last_ended_at, a.status AS last_status, a.error AS last_error, a.snippet AS last_snippet
            FROM deliveries d
            LEFT JOIN LATERAL (
              SELECT * FROM delivery_attempts a WHERE a.app_id = ${appId} AND a.delivery_id = d.delivery_id
              ORDER BY a.started_at DESC, a.attempt DESC LIMIT 1
            ) a ON true
            WHERE ${sql.and(conditions)}
            ORDER BY d.created_at DESC, d.delivery_id COLLATE "C" DESC LIMIT ${limit + 1}`
}

export const list = (
  sql: SqlClient,
  appId: AppId,
  filter: DeliveryFilter,
  limit: number,
  after: ReadonlyArray<string | number> | undefined
) =>
  Effect.gen(function* () {
    const rows = yield* page(sql, appId, filter, limit, yield* TimePosition.decode(after)).pipe(Rows.all(LoggedRow))
    return Page.of(rows.map(toLogged), limit, ({ delivery }) => [delivery.createdAt, delivery.id])
  })
