import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Delivery, type InsertedAttempt } from "@place-access/domain/deliveries"
import { type AppId, DeliveryId, type Timestamp } from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import { together } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { changingThese } from "./changeWaiting.js"
import { exchangeRecord } from "./DeliveryRow.js"
import { RECORD_COLUMNS, toRecord } from "./newDeliveries.js"
import { begunOr } from "./transitions.js"

/** A delivery that was attempted before it was stored, and the result of the attempt. */
export interface AttemptedDelivery {
  readonly row: Delivery.NewDelivery
  readonly how: Delivery.DeliveryFinish
  readonly attempt: Delivery.Attempt | null
  /** Whether the event has no other delivery, so that storing this delivery also marks the event as fanned out. */
  readonly isOnly: boolean
  readonly now: Timestamp.Timestamp
}

/** Makes the record of a delivery and its first attempt, for `jsonb_to_recordset`. */
const toAttemptedRecord = ({ attempt, how, isOnly, now, row }: AttemptedDelivery) => {
  const begun = Delivery.begin(row)
  const after = Delivery.move(begun, how)
  // A spread would give the same result, but V8 adds more than a dozen fields to a spread object slowly, in 27 µs.
  return Object.assign(toRecord(row), {
    state: after.state,
    fail_reason: after.failReason,
    first_attempt: begun.attempt,
    attempt: after.attempt,
    due_at: Rows.nullableAt(after.dueAt),
    ended_at: Rows.nullableAt(after.endedAt),
    faults_since: Rows.nullableAt(after.faultsSince),
    is_only: isOnly,
    goes_on: Delivery.goesOn(how._tag),
    clears: Delivery.effectOnEndpoint(begun, how) === "clear",
    stored_at: Rows.at(now),
    made: attempt?.attempt ?? null,
    made_at: Rows.nullableAt(attempt?.startedAt ?? null),
    answered_at: Rows.nullableAt(attempt?.endedAt ?? null),
    status: attempt?.status ?? null,
    error: Rows.storable(attempt?.error ?? null),
    snippet: Rows.storable(attempt?.snippet ?? null),
    exchange: exchangeRecord(attempt)
  })
}

const COLUMNS = `${RECORD_COLUMNS}, state text, fail_reason text, first_attempt integer, attempt integer,
  due_at timestamptz, ended_at timestamptz, faults_since timestamptz, is_only boolean, goes_on boolean, clears boolean,
  stored_at timestamptz, made integer, made_at timestamptz, answered_at timestamptz, status integer, error text,
  snippet text, exchange jsonb`

/**
 * The values of a delivery's row after its first attempt. When the endpoint was removed or has a newer epoch than the
 * delivery, a delivery that would be retried fails instead.
 */
const AFTER = {
  state: "r.state",
  fail_reason: "r.fail_reason",
  due_at: "r.due_at",
  ended_at: "r.ended_at",
  faults_since: "r.faults_since"
}
const AFTER_COLUMNS = Object.keys(AFTER).join(", ")
const AFTER_VALUES = begunOr("Failed", "met", "met.stands", AFTER)

const records = (sql: SqlClient, all: ReadonlyArray<AttemptedDelivery>) =>
  sql`jsonb_to_recordset(${Rows.json(all.map(toAttemptedRecord))}::jsonb) AS r (${sql.literal(COLUMNS)})`

/**
 * Inserts the rows. When a delivery of the same event to the same endpoint is stored already, the stored row stays. The
 * order of the rows is the same for every worker, so that two workers which store the same events wait for each other
 * and do not deadlock.
 */
const inserting = (sql: SqlClient, appId: AppId, source: Fragment) =>
  sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
                              envelope, type, occurred_at, max_event_age_s, created_at, original_at, attempt,
                              ${sql.literal(AFTER_COLUMNS)})
      SELECT ${appId}, r.delivery_id, r.endpoint_id, r.endpoint_epoch, r.event_id, r.replay_no, r.is_test, r.user_id,
             r.envelope, r.type, r.occurred_at, r.max_event_age_s, r.created_at, r.original_at,
             CASE WHEN met.stands THEN r.attempt ELSE r.first_attempt END, ${sql.literal(AFTER_VALUES)}
      FROM ${source}
      LEFT JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = r.endpoint_id
      CROSS JOIN LATERAL (
        SELECT NOT (r.goes_on AND e.epoch IS DISTINCT FROM r.endpoint_epoch) AS stands,
          CASE WHEN e.endpoint_id IS NULL THEN 'endpoint_removed' ELSE 'endpoint_disabled' END AS fail_reason,
          r.stored_at AS ended_at
      ) met
      ORDER BY r.event_id, r.endpoint_id
      ON CONFLICT (app_id, event_id, endpoint_id, replay_no) DO NOTHING
      RETURNING delivery_id`

/**
 * The INSERT that logs the attempts of stored deliveries. `LOGGED` has the values, selected from the deliveries `r`.
 */
const LOGGING = `INSERT INTO delivery_attempts
  (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet, exchange)`
const LOGGED = "r.delivery_id, r.made, r.made_at, r.answered_at, r.status, r.error, r.snippet, r.exchange"

/**
 * The end of a SELECT of the endpoints `e` whose strikes a success sets to 0: its condition, and the lock of these
 * endpoints. The SELECT locks them in the order of their ids, as claims and finishes do, so that nothing deadlocks.
 */
const LOCKING =
  "r.clears AND r.endpoint_epoch = e.epoch AND e.strikes > 0 ORDER BY e.endpoint_id FOR NO KEY UPDATE OF e"

/**
 * Marks as fanned out those events of `attempted` that have no other delivery. The condition on `cleared` (the part of
 * the statement that locks the endpoints) is always true. It makes PostgreSQL lock the endpoints before the events, as
 * in the deletion of an account, so that nothing deadlocks.
 */
const markingOnly = (sql: SqlClient) =>
  changingThese(
    sql,
    sql`SELECT user_id, event_id, stored_at FROM attempted WHERE is_only AND (SELECT count(*) FROM cleared) >= 0`,
    sql`fanned_out_at = done.stored_at`
  )

/**
 * Inserts the deliveries, logs their attempts, resets the strikes and marks events as fanned out, all in one statement,
 * for a single server.
 */
const insertTogether = (sql: SqlClient, appId: AppId, all: ReadonlyArray<AttemptedDelivery>) =>
  sql`WITH attempted AS (
        SELECT * FROM ${records(sql, all)}
      ), stored AS (
        ${inserting(sql, appId, sql`attempted r`)}
      ), done AS (
        SELECT r.* FROM attempted r JOIN stored s ON s.delivery_id = r.delivery_id
      ), logged AS (
        ${sql.literal(LOGGING)} SELECT ${appId}, ${sql.literal(LOGGED)} FROM done r WHERE r.made IS NOT NULL
      ), cleared AS (
        SELECT e.endpoint_id FROM done r JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = r.endpoint_id
        WHERE ${sql.literal(LOCKING)}
      ), counted AS (
        UPDATE endpoints e SET strikes = 0 FROM cleared c WHERE e.app_id = ${appId} AND e.endpoint_id = c.endpoint_id
      ), marked AS (
        ${markingOnly(sql)}
      )
      SELECT delivery_id FROM stored`

const StoredRow = Schema.Struct({ delivery_id: DeliveryId })

/**
 * Inserts the deliveries, logs their attempts and resets the strikes, on a cluster. Marks no events, because the events
 * are on other nodes. An INSERT inside WITH would make Citus send the rows from node to node, so each INSERT is a
 * statement of its own.
 */
const insertOnCluster = (sql: SqlClient, appId: AppId, all: ReadonlyArray<AttemptedDelivery>) =>
  Effect.gen(function* () {
    const rows = yield* inserting(sql, appId, records(sql, all)).pipe(Rows.all(StoredRow))
    const stored = new Set(rows.map((row) => row.delivery_id))
    const done = all.filter(({ row }) => stored.has(row.id))
    yield* together([
      sql`${sql.literal(LOGGING)} SELECT ${appId}, ${sql.literal(LOGGED)} FROM ${records(sql, done)}
          WHERE r.made IS NOT NULL`,
      sql`WITH cleared AS (
            SELECT e.endpoint_id
            FROM ${records(sql, done)} JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = r.endpoint_id
            WHERE ${sql.literal(LOCKING)}
          )
          UPDATE endpoints e SET strikes = 0 FROM cleared c WHERE e.app_id = ${appId} AND e.endpoint_id = c.endpoint_id`
    ])
    return rows
  }).pipe(sql.withTransaction)

/**
 * Implements `DeliveryStore.insertAttempted` for deliveries of one app that were attempted at the same time. The
 * results have the order of the deliveries. On a cluster, no event is marked as fanned out, because an event may be on
 * another node than the deliveries of the app.
 */
export const insertAttempted = (
  sql: SqlClient,
  all: ReadonlyArray<AttemptedDelivery>,
  onCluster: boolean
): Effect.Effect<ReadonlyArray<InsertedAttempt>, SqlError | ParseResult.ParseError> => {
  const [first] = all
  if (first === undefined) return Effect.succeed([])
  const { appId } = first.row
  const storing = onCluster
    ? insertOnCluster(sql, appId, all)
    : insertTogether(sql, appId, all).pipe(Rows.all(StoredRow))
  return Effect.map(storing, (rows) => {
    const stored = new Set(rows.map((row) => row.delivery_id))
    return all.map(({ isOnly, row }) => ({ isStored: stored.has(row.id), isFannedOut: isOnly && !onCluster }))
  })
}
