import type { SqlClient } from "@effect/sql/SqlClient"
import type { Delivery, DeliveryStore } from "@place-access/domain/deliveries"
import type { AppId } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { storedExchange, toEnvelope } from "./DeliveryRow.js"
import { begunOr, FIRST_STATE } from "./transitions.js"

/** Implements `DeliveryStore.insert` and `DeliveryStore.recordTest`. */

type Store = typeof DeliveryStore.Service

export const insert =
  (sql: SqlClient): Store["insert"] =>
  (rows) => {
    const [head] = rows
    return head === undefined ? Effect.void : insertOf(sql, head.appId, rows).pipe(Effect.asVoid, orStoreError)
  }

/**
 * The columns of a new delivery, which is due immediately. When the endpoint was disabled before the delivery is
 * stored, even if it was enabled again, the row is stored as failed (`BEGUN`).
 */
const BEGINNING = { state: FIRST_STATE, fail_reason: "NULL", due_at: "r.created_at", ended_at: "NULL" }
const BEGUN_COLUMNS = Object.keys(BEGINNING).join(", ")
const BEGUN = begunOr("Failed", "missed", "missed.live", BEGINNING)

/** A new delivery as a record for `jsonb_to_recordset`. `RECORD_COLUMNS` declares the columns of the record. */
export const toRecord = (row: Delivery.NewDelivery) => ({
  delivery_id: row.id,
  endpoint_id: row.endpointId,
  endpoint_epoch: row.endpointEpoch,
  event_id: row.envelope.eventId,
  replay_no: row.replayNo,
  is_test: row.isTest,
  user_id: row.userId,
  envelope: toEnvelope(row.envelope),
  type: row.envelope.payload.type,
  occurred_at: Rows.at(row.envelope.occurredAt),
  max_event_age_s: row.maxEventAgeS,
  created_at: Rows.at(row.createdAt),
  original_at: row.originalAt === row.createdAt ? null : Rows.at(row.originalAt)
})

export const RECORD_COLUMNS = `delivery_id text, endpoint_id text, endpoint_epoch integer, event_id text,
  replay_no integer, is_test boolean, user_id text, envelope jsonb, type text, occurred_at timestamptz,
  max_event_age_s integer, created_at timestamptz, original_at timestamptz`

/**
 * Inserts deliveries of one app. The app's endpoints are on the same shard as its deliveries, so Citus can run the join
 * with `endpoints` there.
 */
const insertOf = (sql: SqlClient, appId: AppId, rows: ReadonlyArray<Delivery.NewDelivery>) =>
  sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
                              envelope, type, occurred_at, max_event_age_s, attempt, created_at,
                              original_at, ${sql.literal(BEGUN_COLUMNS)})
      SELECT ${appId}, r.delivery_id, r.endpoint_id, r.endpoint_epoch, r.event_id, r.replay_no, r.is_test, r.user_id,
             r.envelope, r.type, r.occurred_at, r.max_event_age_s, 1, r.created_at, r.original_at,
             ${sql.literal(BEGUN)}
      FROM jsonb_to_recordset(${Rows.json(rows.map(toRecord))}::jsonb) AS r (${sql.literal(RECORD_COLUMNS)})
      JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = r.endpoint_id
      CROSS JOIN LATERAL (SELECT e.disabled_at IS NULL AND e.epoch = r.endpoint_epoch AS live,
                                 'endpoint_disabled' AS fail_reason, r.created_at AS ended_at) missed
      ON CONFLICT (app_id, event_id, endpoint_id, replay_no) DO NOTHING`

/**
 * Stores a test delivery and its attempt in one statement, because a test is attempted before it is stored. `attempt`
 * is null when there was no attempt.
 */
export const recordTest =
  (sql: SqlClient): Store["recordTest"] =>
  (row, attempt) =>
    (attempt === null
      ? testOf(sql, row)
      : sql`WITH delivery AS (${testOf(sql, row)})
            INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet,
                                           exchange)
            VALUES (${row.appId}, ${row.id}, ${attempt.attempt}, ${Rows.at(attempt.startedAt)},
                    ${Rows.at(attempt.endedAt)}, ${attempt.status}, ${Rows.storable(attempt.error)},
                    ${Rows.storable(attempt.snippet)}, ${storedExchange(attempt)}::jsonb)`
    ).pipe(Effect.asVoid, orStoreError)

const testOf = (sql: SqlClient, row: Delivery.Delivery) =>
  sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test,
                              user_id, envelope, type, occurred_at, max_event_age_s, attempt, created_at, state,
                              fail_reason, due_at, ended_at)
      VALUES (${row.appId}, ${row.id}, ${row.endpointId}, 0, ${row.envelope.eventId}, ${row.replayNo}, true,
              ${row.userId}, ${Rows.json(toEnvelope(row.envelope))}::jsonb, ${row.envelope.payload.type},
              ${Rows.at(row.envelope.occurredAt)}, ${row.maxEventAgeS}, ${row.attempt},
              ${Rows.at(row.createdAt)}, ${row.state}, ${row.failReason}, ${Rows.nullableAt(row.dueAt)},
              ${Rows.nullableAt(row.endedAt)})`
