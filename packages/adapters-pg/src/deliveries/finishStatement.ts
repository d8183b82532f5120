import type { SqlClient } from "@effect/sql/SqlClient"
import { Delivery } from "@place-access/domain/deliveries"
import { WebhookEndpoint } from "@place-access/domain/endpoints"
import type { AppId, DeliveryId, Timestamp } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"
import { SWEEP } from "./endWaiting.js"
import { storedExchange } from "./DeliveryRow.js"
import { mayTake, mayTakeOwn, setting, type StepTag } from "./transitions.js"

export interface ClaimedRow {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly lease: string
}

export interface FinishedDelivery {
  readonly held: ClaimedRow
  readonly how: Delivery.DeliveryFinish
  readonly attempt: Delivery.Attempt | null
  readonly now: Timestamp.Timestamp
}

/**
 * Whether the finish of a delivery may share its statement with other finishes. A strike (a failure that counts against
 * the endpoint) may not: a strike may disable the endpoint, and then further strikes do not count.
 */
export const mayShare = (how: Delivery.DeliveryFinish): boolean => effectOf(how) !== "strike"

/**
 * The effect of a finish on the endpoint's strikes, for a delivery that counts. The statement itself leaves out
 * deliveries that do not count: replays, tests, and deliveries that a developer sent before they were due
 * (`isHurried`).
 */
const effectOf = (how: Delivery.DeliveryFinish): "strike" | "clear" | "none" =>
  Delivery.effectOnEndpoint({ replayNo: 0, isTest: false, isHurried: false }, how)

const STEPS: ReadonlyArray<StepTag> = ["Delivered", "Retry", "Failed", "TooOld", "Postponed"]

const MAY_FINISH = mayTakeOwn(STEPS, "a", "d.state")
const FINISH = setting(STEPS, "c")
const GOES_ON = STEPS.filter(Delivery.goesOn)

/**
 * The statement of `finishMany`. It first locks the rows of the deliveries, which must still carry the lease: a worker
 * that waited for the lock while another worker took the row over changes nothing. Then it locks the endpoints' rows
 * and changes their strikes, which no other transaction can change meanwhile. Deliveries and endpoints are locked in
 * the order of their ids, as in claims, so that nothing deadlocks.
 */
export const writing = (sql: SqlClient, appId: AppId, finished: ReadonlyArray<FinishedDelivery>, onCluster = false) => {
  const sorted = finished.toSorted(({ held: a }, { held: b }) => compare(a.id, b.id))
  const values = sorted.map(({ how }) => Delivery.valuesOf(how))
  const attempts = sorted.map(({ attempt }) => attempt)
  // `lease = lease || ''` is a comparison that the planner cannot estimate, so it expects one row and uses the index.
  // Without this comparison, the planner expects ten rows from the list of ids. While the table is small, the planner
  // then reads the whole table, and PostgreSQL keeps that plan when the table has grown. `MAY_FINISH` hides the state
  // in a CASE, so that the planner does not use the index of waiting deliveries: with that index the statement would
  // read all entries of the app.
  return sql`WITH asked AS (
        SELECT * FROM unnest(
          ${sorted.map(({ held }) => held.id)}::text[],
          ${sorted.map(({ held }) => held.lease)}::text[],
          ${sorted.map(({ now }) => Rows.at(now))}::timestamptz[],
          ${sorted.map(({ how }) => how._tag)}::text[],
          ${values.map(({ failReason }) => failReason)}::text[],
          ${values.map(({ attempt }) => attempt)}::integer[],
          ${values.map(({ dueAt }) => Rows.nullableAt(dueAt))}::timestamptz[],
          ${values.map(({ endedAt }) => Rows.nullableAt(endedAt))}::timestamptz[],
          ${values.map(({ faultsSince }) => Rows.nullableAt(faultsSince))}::timestamptz[],
          ${sorted.map(({ how }) => effectOf(how) === "clear")}::boolean[],
          ${attempts.map((made) => made?.attempt ?? null)}::integer[],
          ${attempts.map((made) => Rows.nullableAt(made?.startedAt ?? null))}::timestamptz[],
          ${attempts.map((made) => Rows.nullableAt(made?.endedAt ?? null))}::timestamptz[],
          ${attempts.map((made) => made?.status ?? null)}::integer[],
          ${attempts.map((made) => Rows.storable(made?.error ?? null))}::text[],
          ${attempts.map((made) => Rows.storable(made?.snippet ?? null))}::text[],
          ${attempts.map(storedExchange)}::jsonb[]
        ) AS a (delivery_id, lease, at, step, fail_reason, attempt, due_at, ended_at, faults_since, clears,
                made, made_at, answered_at, status, error, snippet, exchange)
        WHERE lease = lease || ''
      ), held AS (
        SELECT a.*, d.app_id, d.endpoint_id, d.endpoint_epoch, d.counts
        FROM asked a CROSS JOIN LATERAL (
          SELECT d.app_id, d.endpoint_id, d.endpoint_epoch,
            d.replay_no = 0 AND NOT d.is_test AND NOT d.is_hurried AS counts
          FROM deliveries d
          WHERE d.app_id = ${appId} AND d.delivery_id = a.delivery_id AND d.lease = a.lease
            AND ${sql.literal(MAY_FINISH)}
          FOR UPDATE
        ) d
      ), ${onCluster ? sql`` : logging(sql)}current AS (
        -- A delivery that would be retried fails when its endpoint was removed, disabled or given a new epoch meanwhile.
        SELECT h.app_id, h.delivery_id, h.attempt, h.due_at, h.faults_since,
          CASE WHEN is_over THEN 'Failed' ELSE h.step END AS step,
          CASE WHEN NOT is_over THEN h.fail_reason
               WHEN e.endpoint_id IS NULL THEN 'endpoint_removed'
               ELSE 'endpoint_disabled' END AS fail_reason,
          CASE WHEN is_over THEN h.at ELSE h.ended_at END AS ended_at
        FROM held h LEFT JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = h.endpoint_id
        CROSS JOIN LATERAL (
          SELECT h.step = ANY(${GOES_ON}::text[]) AND e.epoch IS DISTINCT FROM h.endpoint_epoch AS is_over
        ) met
      ), moved AS (
        UPDATE deliveries d SET ${sql.literal(FINISH)}
        FROM current c WHERE d.app_id = ${appId} AND d.delivery_id = c.delivery_id
      ), ${finished.every(({ how }) => mayShare(how)) ? clearing(sql, appId) : striking(sql, appId, onCluster)}
      ${onCluster && !finished.every(({ how }) => mayShare(how)) ? sql`SELECT h.app_id, h.delivery_id, h.lease, c.endpoint_id, c.strikes FROM held h LEFT JOIN counted c ON true` : sql`SELECT app_id, delivery_id, lease FROM held`}`
}

/** The part of the statement that inserts the attempts into `delivery_attempts`. */
const logging = (sql: SqlClient) =>
  sql`logged AS (
        INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet,
                                       exchange)
        SELECT app_id, delivery_id, made, made_at, answered_at, status, error, snippet, exchange
        FROM held WHERE made IS NOT NULL
      ), `

/**
 * The last parts of a statement that finishes deliveries without a strike: successful deliveries set the strikes of
 * their endpoints to 0.
 */
const clearing = (sql: SqlClient, appId: AppId) =>
  sql`cleared AS (
        SELECT e.endpoint_id
        FROM held h JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = h.endpoint_id
        WHERE h.clears AND h.counts AND h.endpoint_epoch = e.epoch AND e.strikes > 0
        ORDER BY e.endpoint_id FOR NO KEY UPDATE OF e
      ), counted AS (
        UPDATE endpoints e SET strikes = 0 FROM cleared c
        WHERE e.app_id = ${appId} AND e.endpoint_id = c.endpoint_id
      )`

const FAIL = setting(["Failed"], "w")
const MAY_FAIL = mayTake("Failed", "d.state")

/**
 * The last parts of a statement that finishes a delivery with a strike. They add 1 to the endpoint's strikes, and at
 * some numbers of strikes store a warning (not on a cluster). At `MAX_STRIKES` they disable the endpoint, and fail up
 * to `SWEEP` of its deliveries.
 */
const striking = (sql: SqlClient, appId: AppId, onCluster: boolean) =>
  sql`counted AS (
        UPDATE endpoints e SET
          strikes = e.strikes + 1,
          disabled_at = CASE WHEN e.strikes + 1 >= ${WebhookEndpoint.MAX_STRIKES}::integer THEN h.at
                             ELSE e.disabled_at END,
          epoch = CASE WHEN e.strikes + 1 >= ${WebhookEndpoint.MAX_STRIKES}::integer THEN e.epoch + 1 ELSE e.epoch END
        FROM held h
        WHERE h.counts AND e.app_id = ${appId} AND e.endpoint_id = h.endpoint_id AND e.epoch = h.endpoint_epoch
        RETURNING e.app_id, e.endpoint_id, e.strikes, e.epoch <> h.endpoint_epoch AS is_disabled, h.delivery_id, h.at
      ), ${onCluster ? sql`` : warning(sql)}waiting AS (
        SELECT d.app_id, d.delivery_id, 'endpoint_disabled' AS fail_reason, c.at AS ended_at
        FROM counted c JOIN deliveries d ON d.app_id = ${appId} AND d.endpoint_id = c.endpoint_id
        WHERE c.is_disabled AND ${sql.literal(MAY_FAIL)} AND d.delivery_id <> c.delivery_id
          AND (d.leased_until IS NULL OR d.leased_until <= c.at)
        LIMIT ${SWEEP} FOR UPDATE OF d SKIP LOCKED
      ), swept AS (
        UPDATE deliveries d SET ${sql.literal(FAIL)}
        FROM waiting w WHERE d.app_id = ${appId} AND d.delivery_id = w.delivery_id
      )`

/**
 * The part of the statement that inserts a row into `strike_warnings` when the number of strikes calls for a warning.
 */
const warning = (sql: SqlClient) =>
  sql`warned AS (
        INSERT INTO strike_warnings (app_id, delivery_id, endpoint_id, strikes, warned_at)
        SELECT app_id, delivery_id, endpoint_id, strikes, at FROM counted
        WHERE strikes = ANY(${WebhookEndpoint.WARNED_STRIKES}::integer[])
      ), `

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
