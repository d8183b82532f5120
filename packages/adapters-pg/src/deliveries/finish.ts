import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Delivery } from "@place-access/domain/deliveries"
import { WebhookEndpoint } from "@place-access/domain/endpoints"
import type { AppId, DeliveryId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as Rows from "../Rows.js"
import { storable } from "./DeliveryRow.js"
import { SWEEP } from "./endWaiting.js"

export interface Held {
  readonly appId: AppId
  readonly id: DeliveryId
  readonly lease: string
}

/** What of a `Finish` each column becomes. */
export const columns = (how: Delivery.Finish) => ({
  state:
    how._tag === "Delivered"
      ? "delivered"
      : how._tag === "Failed"
        ? "failed"
        : how._tag === "TooOld"
          ? "too_old"
          : "trying",
  failReason: how._tag === "Failed" ? how.reason : null,
  attempt: how._tag === "Retry" ? how.attempt : null,
  dueAt: how._tag === "Retry" || how._tag === "Postponed" ? Rows.at(how.dueAt) : null,
  endedAt: how._tag === "Retry" || how._tag === "Postponed" ? null : Rows.at(how.at)
})

/** What it does to the endpoint's counter, unless the row is one that does not count; the statement looks. */
export const effectOf = (how: Delivery.Finish): "strike" | "clear" | "none" =>
  Delivery.effectOnEndpoint({ replayNo: 0, isTest: false, isHurried: false }, how)

/**
 * `DeliveryStore.finish`, one statement. The delivery's row is locked first and must still carry the lease: who waited for
 * somebody that took it over finds nothing. Then the endpoint's, whose counter is changed from its newest value.
 */
export const finish = (
  sql: SqlClient,
  { appId, id, lease }: Held,
  how: Delivery.Finish,
  attempt: Delivery.Attempt | null,
  now: Timestamp.Timestamp
): Effect.Effect<boolean, SqlError> => {
  const { state, failReason, attempt: next, dueAt, endedAt } = columns(how)
  const counts = effectOf(how)
  const at = Rows.at(now)
  const warned = sql`warned AS (
          INSERT INTO strike_warnings (app_id, delivery_id, endpoint_id, strikes, warned_at)
          SELECT c.app_id, ${id}, c.endpoint_id, c.strikes, ${at}::timestamptz FROM counted c
          WHERE c.strikes = ANY(${WebhookEndpoint.WARNED_STRIKES}::integer[])
        ), `
  return Effect.map(
    sql`WITH held AS (
          SELECT app_id, delivery_id, endpoint_id, endpoint_epoch,
                 replay_no = 0 AND NOT is_test AND NOT is_hurried AS counts
          FROM deliveries
          WHERE app_id = ${appId} AND delivery_id = ${id} AND lease = ${lease} AND due_at IS NOT NULL
          FOR UPDATE
        ), logged AS (
          INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet)
          SELECT h.app_id, h.delivery_id, ${attempt?.attempt ?? null}::integer,
                 ${Rows.nullableAt(attempt?.startedAt ?? null)}::timestamptz,
                 ${Rows.nullableAt(attempt?.endedAt ?? null)}::timestamptz,
                 ${attempt?.status ?? null}::integer, ${storable(attempt?.error ?? null)}::text,
                 ${storable(attempt?.snippet ?? null)}::text
          FROM held h WHERE ${attempt !== null}::boolean
        ), current AS (
          -- A row that would go on ends when its endpoint is not what it was.
          SELECT h.app_id, h.delivery_id,
            ${state}::text = 'trying' AND e.epoch IS DISTINCT FROM h.endpoint_epoch AS is_over,
            CASE WHEN e.endpoint_id IS NULL THEN 'endpoint_removed' ELSE 'endpoint_disabled' END AS why
          FROM held h LEFT JOIN endpoints e ON e.app_id = h.app_id AND e.endpoint_id = h.endpoint_id
        ), moved AS (
          UPDATE deliveries d SET
            state = CASE WHEN c.is_over THEN 'failed' ELSE ${state}::text END,
            fail_reason = CASE WHEN c.is_over THEN c.why ELSE ${failReason}::text END,
            attempt = CASE WHEN c.is_over THEN d.attempt ELSE coalesce(${next}::integer, d.attempt) END,
            due_at = CASE WHEN c.is_over THEN NULL ELSE ${dueAt}::timestamptz END,
            ended_at = CASE WHEN c.is_over THEN ${at}::timestamptz ELSE ${endedAt}::timestamptz END,
            is_hurried = d.is_hurried AND (c.is_over OR ${next}::integer IS NULL),
            lease = NULL,
            leased_until = NULL
          FROM current c WHERE d.app_id = ${appId} AND d.delivery_id = c.delivery_id
        ), counted AS (
          UPDATE endpoints e SET
            strikes = CASE WHEN ${counts}::text = 'strike' THEN e.strikes + 1 ELSE 0 END,
            disabled_at = CASE WHEN ${counts}::text = 'strike' AND e.strikes + 1 >= ${WebhookEndpoint.MAX_STRIKES}::integer
                               THEN ${at}::timestamptz ELSE e.disabled_at END,
            epoch = CASE WHEN ${counts}::text = 'strike' AND e.strikes + 1 >= ${WebhookEndpoint.MAX_STRIKES}::integer
                         THEN e.epoch + 1 ELSE e.epoch END
          FROM held h
          WHERE h.counts AND e.app_id = h.app_id AND e.endpoint_id = h.endpoint_id AND e.epoch = h.endpoint_epoch
            AND (${counts}::text = 'strike' OR (${counts}::text = 'clear' AND e.strikes > 0))
          RETURNING e.app_id, e.endpoint_id, e.strikes, e.epoch <> h.endpoint_epoch AS is_disabled
        ), ${counts === "strike" ? warned : sql``}waiting AS (
          SELECT d.delivery_id FROM counted c
          JOIN deliveries d ON d.app_id = c.app_id AND d.endpoint_id = c.endpoint_id
          WHERE c.is_disabled AND d.state = 'trying' AND d.delivery_id <> ${id}
            AND (d.leased_until IS NULL OR d.leased_until <= ${at}::timestamptz)
          LIMIT ${SWEEP} FOR UPDATE OF d SKIP LOCKED
        ), swept AS (
          UPDATE deliveries d SET state = 'failed', fail_reason = 'endpoint_disabled', due_at = NULL,
            ended_at = ${at}::timestamptz, lease = NULL, leased_until = NULL
          FROM waiting w WHERE d.app_id = ${appId} AND d.delivery_id = w.delivery_id
        )
        SELECT 1 FROM held`,
    (rows) => rows.length > 0
  )
}
