import { SqlClient } from "@effect/sql/SqlClient"
import { type Delivery, DeliveryStore } from "@place-access/domain/deliveries"
import { type AppId, Page, Timestamp } from "@place-access/domain/shared"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Batches from "./Batches.js"
import { claim } from "./deliveries/claim.js"
import { AttemptRow, DeliveryRow, storable, toAttempt, toDelivery, toEnvelope } from "./deliveries/DeliveryRow.js"
import { finish } from "./deliveries/finish.js"
import { type Finished, finishMany, mayShare } from "./deliveries/finishMany.js"
import { hurry, recover, replay } from "./deliveries/replay.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const DueRow = Schema.Struct({ due_at: Rows.NullableAt })

const FoundRow = Schema.Struct({ ...DeliveryRow.fields, is_replayed: Schema.Boolean })

/** A delivery beside its newest attempt, whose columns are all null when there is none. */
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

/** Where a page of `list` goes on: time of creation and id of the last row. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)

const iso = (at: Timestamp.Timestamp): string => DateTime.formatIso(DateTime.unsafeMake(at))

/** A row of `insert` as `jsonb_to_recordset` reads it. */
const toRecord = (row: Delivery.NewDelivery) => ({
  delivery_id: row.id,
  endpoint_id: row.endpointId,
  endpoint_epoch: row.endpointEpoch,
  event_id: row.envelope.eventId,
  replay_no: row.replayNo,
  is_test: row.isTest,
  user_id: row.userId,
  envelope: toEnvelope(row.envelope),
  type: row.envelope.payload.type,
  occurred_at: iso(row.envelope.occurredAt),
  max_event_age_s: row.maxEventAgeS,
  created_at: iso(row.createdAt),
  original_at: row.originalAt === row.createdAt ? null : iso(row.originalAt)
})

/** A receiver has its webhook already when its delivery ends. */
const REST_MILLIS = 10

/** Many deliveries end at the same time, and each waits for its commit: those that do share a statement (`Batches`). */
export const layer: Layer.Layer<DeliveryStore, never, SqlClient> = Layer.scoped(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const share = yield* Batches.make(
      (finished: ReadonlyArray<Finished>) => orStoreError(finishMany(sql, finished)),
      REST_MILLIS
    )
    const columns = sql.literal(
      Object.keys(DeliveryRow.fields)
        .map((column) => `d.${column}`)
        .join(", ")
    )

    // A program from before 0025 marks nothing: the later row tells.
    const IS_REPLAYED = sql.literal(`d.is_replayed OR EXISTS (
      SELECT 1 FROM deliveries later WHERE later.app_id = d.app_id AND later.event_id = d.event_id
        AND later.endpoint_id = d.endpoint_id AND later.replay_no > d.replay_no)`)

    const insert = (appId: AppId, rows: ReadonlyArray<Delivery.NewDelivery>) =>
      sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
                                  envelope, type, occurred_at, max_event_age_s, attempt, created_at,
                                  original_at, state, fail_reason, due_at, ended_at)
          SELECT ${appId}, r.delivery_id, r.endpoint_id, r.endpoint_epoch, r.event_id, r.replay_no, r.is_test, r.user_id,
                 r.envelope, r.type, r.occurred_at, r.max_event_age_s, 1, r.created_at, r.original_at,
                 CASE WHEN live THEN 'trying' ELSE 'failed' END, CASE WHEN NOT live THEN 'endpoint_disabled' END,
                 CASE WHEN live THEN r.created_at END, CASE WHEN NOT live THEN r.created_at END
          FROM jsonb_to_recordset(${Rows.json(rows.map(toRecord))}::jsonb) AS r (
            delivery_id text, endpoint_id text, endpoint_epoch integer, event_id text, replay_no integer, is_test boolean,
            user_id text, envelope jsonb, type text, occurred_at timestamptz, max_event_age_s integer,
            created_at timestamptz, original_at timestamptz)
          JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = r.endpoint_id
          CROSS JOIN LATERAL (SELECT e.disabled_at IS NULL AND e.epoch = r.endpoint_epoch AS live) now
          ON CONFLICT (app_id, event_id, endpoint_id, replay_no) DO NOTHING`

    return DeliveryStore.of({
      insert: (rows) => {
        const [head] = rows
        return head === undefined ? Effect.void : insert(head.appId, rows).pipe(Effect.asVoid, orStoreError)
      },

      claim: (request) => orStoreError(claim(sql, request)),

      finish: (held, how, attempt) =>
        Effect.flatMap(Timestamp.now, (now) =>
          mayShare(how) ? share({ held, how, attempt, now }) : orStoreError(finish(sql, held, how, attempt, now))
        ),

      // One jump in the index for each endpoint at which something waits.
      nextDueAt: (after) =>
        sql`WITH RECURSIVE waiting AS (
              (SELECT app_id, endpoint_id FROM deliveries WHERE state = 'trying' ORDER BY app_id, endpoint_id LIMIT 1)
              UNION ALL
              SELECT next.app_id, next.endpoint_id FROM waiting w CROSS JOIN LATERAL (
                SELECT d.app_id, d.endpoint_id FROM deliveries d
                WHERE d.state = 'trying' AND (d.app_id, d.endpoint_id) > (w.app_id, w.endpoint_id)
                ORDER BY d.app_id, d.endpoint_id LIMIT 1
              ) next
            )
            SELECT min(head.due_at) AS due_at FROM waiting w CROSS JOIN LATERAL (
              SELECT d.due_at FROM deliveries d
              WHERE d.app_id = w.app_id AND d.endpoint_id = w.endpoint_id AND d.state = 'trying'
                AND d.due_at > ${Rows.at(after)}
              ORDER BY d.due_at LIMIT 1
            ) head`.pipe(
          Rows.first(DueRow),
          Effect.map(Option.flatMap(({ due_at }) => Option.fromNullable(due_at))),
          orStoreError
        ),

      recordTest: (row, attempt) =>
        sql`WITH delivery AS (
              INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test,
                                      user_id, envelope, type, occurred_at, max_event_age_s, attempt, created_at, state,
                                      fail_reason, due_at, ended_at)
              VALUES (${row.appId}, ${row.id}, ${row.endpointId}, 0, ${row.envelope.eventId}, ${row.replayNo}, true,
                      ${row.userId}, ${Rows.json(toEnvelope(row.envelope))}::jsonb, ${row.envelope.payload.type},
                      ${Rows.at(row.envelope.occurredAt)}, ${row.maxEventAgeS}, ${row.attempt},
                      ${Rows.at(row.createdAt)}, ${row.state}, ${row.failReason}, ${Rows.nullableAt(row.dueAt)},
                      ${Rows.nullableAt(row.endedAt)})
            )
            INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet)
            VALUES (${row.appId}, ${row.id}, ${attempt.attempt}, ${Rows.at(attempt.startedAt)},
                    ${Rows.at(attempt.endedAt)}, ${attempt.status}, ${storable(attempt.error)},
                    ${storable(attempt.snippet)})`.pipe(Effect.asVoid, orStoreError),

      replay: (appId, id, decide) => orStoreError(replay(sql, appId, id, decide)),
      hurry: (appId, id, now) => orStoreError(hurry(sql, appId, id, now)),
      recover: (asked) => (asked.ids.length === 0 ? Effect.succeed(0) : orStoreError(recover(sql, asked))),

      find: (appId, id) =>
        Effect.gen(function* () {
          const row = yield* sql`SELECT ${columns}, (${IS_REPLAYED}) AS is_replayed FROM deliveries d
                                 WHERE d.app_id = ${appId} AND d.delivery_id = ${id}`.pipe(Rows.first(FoundRow))
          if (Option.isNone(row)) return Option.none()
          const attempts = yield* sql`SELECT * FROM delivery_attempts
                                      WHERE app_id = ${appId} AND delivery_id = ${id}
                                      ORDER BY started_at, attempt`.pipe(Rows.all(AttemptRow))
          return Option.some({
            delivery: toDelivery(row.value),
            isReplayed: row.value.is_replayed,
            attempts: attempts.map(toAttempt)
          })
        }).pipe(orStoreError),

      list: (appId, { endpointId, eventId, from, state, to, types }, limit, after) =>
        Effect.gen(function* () {
          const position = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
          const conditions = [
            sql`d.app_id = ${appId}`,
            ...(endpointId === undefined ? [] : [sql`d.endpoint_id = ${endpointId}`]),
            ...(eventId === undefined ? [] : [sql`d.event_id = ${eventId}`]),
            ...(types === undefined ? [] : [sql`d.type = ANY(${types}::text[])`]),
            ...(state === undefined ? [] : [sql`d.state = ${state}`]),
            ...(from === undefined ? [] : [sql`d.created_at >= ${Rows.at(from)}`]),
            ...(to === undefined ? [] : [sql`d.created_at < ${Rows.at(to)}`]),
            ...(position === undefined
              ? []
              : [sql`(d.created_at, d.delivery_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`])
          ]
          const rows =
            yield* sql`SELECT ${columns}, (${IS_REPLAYED}) AS is_replayed, a.attempt AS last_attempt, a.started_at AS last_started_at,
              a.ended_at AS last_ended_at, a.status AS last_status, a.error AS last_error, a.snippet AS last_snippet
            FROM deliveries d
            LEFT JOIN LATERAL (
              SELECT * FROM delivery_attempts a WHERE a.app_id = d.app_id AND a.delivery_id = d.delivery_id
              ORDER BY a.started_at DESC, a.attempt DESC LIMIT 1
            ) a ON true
            WHERE ${sql.and(conditions)}
            ORDER BY d.created_at DESC, d.delivery_id COLLATE "C" DESC LIMIT ${limit + 1}`.pipe(Rows.all(LoggedRow))
          return Page.of(rows.map(toLogged), limit, ({ delivery }) => [delivery.createdAt, delivery.id])
        }).pipe(orStoreError)
    })
  })
)
