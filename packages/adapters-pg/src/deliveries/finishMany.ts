import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Delivery } from "@place-access/domain/deliveries"
import { AppId, DeliveryId, type Timestamp } from "@place-access/domain/shared"
import { Effect, type ParseResult, Schema } from "effect"
import * as Rows from "../Rows.js"
import { storable } from "./DeliveryRow.js"
import { columns, effectOf, finish, type Held } from "./finish.js"

export interface Finished {
  readonly held: Held
  readonly how: Delivery.Finish
  readonly attempt: Delivery.Attempt | null
  readonly now: Timestamp.Timestamp
}

/** Strikes are counted one at a time: each may disable the endpoint, and what comes after it counts for nothing. */
export const mayShare = (how: Delivery.Finish): boolean => effectOf(how) !== "strike"

const HeldRow = Schema.Struct({ app_id: AppId, delivery_id: DeliveryId, lease: Schema.String })

const keyOf = ({ appId, id, lease }: Held): string => `${appId} ${id} ${lease}`

/**
 * `finish` for several in one statement, none of which strikes; the answers in their order. Whatever the order among them, it
 * comes to the same: an arrival sets the counter to nought. Deliveries are locked first, in the order of their ids, then the
 * endpoints in that of theirs, as claims do.
 */
export const finishMany = (
  sql: SqlClient,
  finished: ReadonlyArray<Finished>
): Effect.Effect<ReadonlyArray<boolean>, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    // Whoever ends the same under the same lease twice is answered once, as if they had come one after the other.
    const distinct = new Map<string, Finished>()
    for (const one of finished) {
      const key = keyOf(one.held)
      if (!distinct.has(key)) distinct.set(key, one)
    }
    const [first] = distinct.values()
    const written =
      distinct.size === 1 && first !== undefined
        ? (yield* finish(sql, first.held, first.how, first.attempt, first.now))
          ? new Set(distinct.keys())
          : new Set<string>()
        : yield* writing(sql, [...distinct.values()]).pipe(
            Rows.all(HeldRow),
            Effect.map(
              (rows) => new Set(rows.map(({ app_id: appId, delivery_id: id, lease }) => keyOf({ appId, id, lease })))
            )
          )
    return finished.map((one) => {
      const key = keyOf(one.held)
      return distinct.get(key) === one && written.has(key)
    })
  })

/** The statement. */
export const writing = (sql: SqlClient, finished: ReadonlyArray<Finished>) => {
  const sorted = finished.toSorted(({ held: a }, { held: b }) => compare(a.appId, b.appId) || compare(a.id, b.id))
  const moves = sorted.map(({ how }) => ({ ...columns(how), clears: effectOf(how) === "clear" }))
  const attempts = sorted.map(({ attempt }) => attempt)
  // `due_at IS NOT NULL` is `state = 'trying'` (a constraint), but does not lead to the index of what waits, which is the shorter
  // one while little waits, and has to be read from end to end for a row of an app.
  //
  // The planner takes a list for ten rows, and reads the whole table for so many while it is small; this plan is kept when it is
  // not small any more. Of a comparison that it cannot look into it expects one row, which leads through the index.
  return sql`WITH asked AS (
        SELECT * FROM unnest(
          ${sorted.map(({ held }) => held.appId)}::text[],
          ${sorted.map(({ held }) => held.id)}::text[],
          ${sorted.map(({ held }) => held.lease)}::text[],
          ${sorted.map(({ now }) => Rows.at(now))}::timestamptz[],
          ${moves.map(({ state }) => state)}::text[],
          ${moves.map(({ failReason }) => failReason)}::text[],
          ${moves.map(({ attempt }) => attempt)}::integer[],
          ${moves.map(({ dueAt }) => dueAt)}::timestamptz[],
          ${moves.map(({ endedAt }) => endedAt)}::timestamptz[],
          ${moves.map(({ clears }) => clears)}::boolean[],
          ${attempts.map((made) => made?.attempt ?? null)}::integer[],
          ${attempts.map((made) => Rows.nullableAt(made?.startedAt ?? null))}::timestamptz[],
          ${attempts.map((made) => Rows.nullableAt(made?.endedAt ?? null))}::timestamptz[],
          ${attempts.map((made) => made?.status ?? null)}::integer[],
          ${attempts.map((made) => storable(made?.error ?? null))}::text[],
          ${attempts.map((made) => storable(made?.snippet ?? null))}::text[]
        ) AS a (app_id, delivery_id, lease, at, state, fail_reason, next, due_at, ended_at, clears,
                made, made_at, answered_at, status, error, snippet)
        WHERE lease = lease || ''
      ), held AS (
        SELECT a.*, d.endpoint_id, d.endpoint_epoch, d.counts
        FROM asked a CROSS JOIN LATERAL (
          SELECT d.endpoint_id, d.endpoint_epoch, d.replay_no = 0 AND NOT d.is_test AND NOT d.is_hurried AS counts
          FROM deliveries d
          WHERE d.app_id = a.app_id AND d.delivery_id = a.delivery_id AND d.lease = a.lease AND d.due_at IS NOT NULL
          FOR UPDATE
        ) d
      ), logged AS (
        INSERT INTO delivery_attempts (app_id, delivery_id, attempt, started_at, ended_at, status, error, snippet)
        SELECT app_id, delivery_id, made, made_at, answered_at, status, error, snippet FROM held WHERE made IS NOT NULL
      ), current AS (
        SELECT h.*, h.state = 'trying' AND e.epoch IS DISTINCT FROM h.endpoint_epoch AS is_over,
          CASE WHEN e.endpoint_id IS NULL THEN 'endpoint_removed' ELSE 'endpoint_disabled' END AS why
        FROM held h LEFT JOIN endpoints e ON e.app_id = h.app_id AND e.endpoint_id = h.endpoint_id
      ), moved AS (
        UPDATE deliveries d SET
          state = CASE WHEN c.is_over THEN 'failed' ELSE c.state END,
          fail_reason = CASE WHEN c.is_over THEN c.why ELSE c.fail_reason END,
          attempt = CASE WHEN c.is_over THEN d.attempt ELSE coalesce(c.next, d.attempt) END,
          due_at = CASE WHEN c.is_over THEN NULL ELSE c.due_at END,
          ended_at = CASE WHEN c.is_over THEN c.at ELSE c.ended_at END,
          is_hurried = d.is_hurried AND (c.is_over OR c.next IS NULL),
          lease = NULL,
          leased_until = NULL
        FROM current c WHERE d.app_id = c.app_id AND d.delivery_id = c.delivery_id
      ), cleared AS (
        SELECT e.app_id, e.endpoint_id
        FROM held h JOIN endpoints e ON e.app_id = h.app_id AND e.endpoint_id = h.endpoint_id
        WHERE h.clears AND h.counts AND h.endpoint_epoch = e.epoch AND e.strikes > 0
        ORDER BY e.app_id, e.endpoint_id FOR NO KEY UPDATE OF e
      ), counted AS (
        UPDATE endpoints e SET strikes = 0 FROM cleared c
        WHERE e.app_id = c.app_id AND e.endpoint_id = c.endpoint_id
      )
      SELECT app_id, delivery_id, lease FROM held`
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
