import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { Delivery, DeliveryStore, Replay } from "@place-access/domain/deliveries"
import { type AppId, type DeliveryId, Timestamp } from "@place-access/domain/shared"
import { Effect, Either, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { DeliveryRow, toDelivery, toEnvelope } from "./DeliveryRow.js"
import { endWaiting, SWEEP } from "./endWaiting.js"
import { FIRST_STATE, mayTake, setting, waits } from "./transitions.js"

/** The statements of `DeliveryStore.replay`, `hurry` and `recover`. */

const EndpointState = Schema.Struct({ epoch: Schema.Int, disabled_at: Rows.NullableAt })
const SameEvent = Schema.Struct({ last_replay_no: Schema.Int, is_pending: Schema.Boolean })

const WAITS = waits("state")

const COLUMNS = Rows.columns(DeliveryRow)

export const replay = (
  sql: SqlClient,
  appId: AppId,
  id: DeliveryId,
  decide: (
    state: Replay.Replayable,
    now: Timestamp.Timestamp
  ) => Either.Either<Delivery.NewDelivery, Replay.ReplayRefusal>
) => {
  const read = sql`SELECT ${COLUMNS} FROM deliveries
                   WHERE app_id = ${appId} AND delivery_id = ${id}`.pipe(Rows.first(DeliveryRow))
  return Effect.gen(function* () {
    const row = yield* read
    if (Option.isNone(row)) return Option.none()
    const { endpoint_id: endpointId, event_id: eventId } = row.value
    const endpoint = yield* sql`SELECT epoch, disabled_at FROM endpoints
                                WHERE app_id = ${appId} AND endpoint_id = ${endpointId}
                                FOR NO KEY UPDATE`.pipe(Rows.first(EndpointState))
    const now = yield* Timestamp.now
    yield* endOld(sql, appId, sql`d.event_id = ${eventId} AND d.endpoint_id = ${endpointId}`, now)
    const same = yield* sql`SELECT max(replay_no) AS last_replay_no, bool_or(${sql.literal(WAITS)}) AS is_pending
                            FROM deliveries WHERE app_id = ${appId} AND event_id = ${eventId}
                              AND endpoint_id = ${endpointId}
                            HAVING count(*) > 0`.pipe(Rows.first(SameEvent))
    const current = yield* read
    if (Option.isNone(same) || Option.isNone(current)) return Option.none()
    const outcome = decide(
      {
        delivery: toDelivery(current.value),
        endpoint: Option.match(endpoint, {
          onNone: () => null,
          onSome: ({ disabled_at: disabledAt, epoch }) => ({ disabledAt, epoch })
        }),
        lastReplayNo: same.value.last_replay_no,
        isPending: same.value.is_pending
      },
      now
    )
    if (Either.isLeft(outcome)) return Option.some(outcome)
    // The condition on `id` makes the statement lock the row of `id` even if it is marked already. The deletion of a
    // person's account waits for this lock, and then also deletes the replay. When no row is left to lock, the deletion
    // has come first, and the replay must not be stored.
    const marked = yield* Rows.affected(
      sql`UPDATE deliveries SET is_replayed = true
          WHERE app_id = ${appId} AND event_id = ${eventId} AND endpoint_id = ${endpointId}
            AND (NOT is_replayed OR delivery_id = ${id})`
    )
    if (marked === 0) return Option.none()
    yield* insert(sql, outcome.right)
    return Option.some(outcome)
  }).pipe(sql.withTransaction)
}

const insert = (sql: SqlClient, row: Delivery.NewDelivery) =>
  sql`INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id, envelope,
                              type, occurred_at, max_event_age_s, attempt, created_at, original_at, state, due_at)
      VALUES (${row.appId}, ${row.id}, ${row.endpointId}, ${row.endpointEpoch}, ${row.envelope.eventId},
        ${row.replayNo}, ${row.isTest},
              ${row.userId}, ${Rows.json(toEnvelope(row.envelope))}::jsonb, ${row.envelope.payload.type},
              ${Rows.at(row.envelope.occurredAt)}, ${row.maxEventAgeS}, 1, ${Rows.at(row.createdAt)},
              ${Rows.at(row.originalAt)}, ${sql.literal(FIRST_STATE)}, ${Rows.at(row.createdAt)})`

const HurryRow = Schema.Struct({ outcome: Schema.Literal("hurried", "under_way", "ended") })

export const hurry = (sql: SqlClient, appId: AppId, id: DeliveryId, now: Timestamp.Timestamp) =>
  Effect.zipRight(endOld(sql, appId, sql`d.delivery_id = ${id}`, now), hurryOne(sql, appId, id, now))

/**
 * Fails deliveries that wait although their endpoint was disabled or removed after they were made: they are never sent.
 * `which` is the condition that selects the deliveries to look at. Claims end these deliveries too, but a claim may
 * find one only when it is due (decision deliveries-8). A row that another transaction has locked is skipped, because
 * that transaction finishes or fails the delivery.
 */
const endOld = (sql: SqlClient, appId: AppId, which: Fragment, now: Timestamp.Timestamp) =>
  sql`WITH waiting AS (
        SELECT d.delivery_id, ${Rows.at(now)}::timestamptz AS ended_at,
          CASE WHEN e.endpoint_id IS NULL THEN 'endpoint_removed' ELSE 'endpoint_disabled' END AS fail_reason
        FROM deliveries d LEFT JOIN endpoints e ON e.app_id = ${appId} AND e.endpoint_id = d.endpoint_id
        WHERE d.app_id = ${appId} AND ${which} AND ${sql.literal(MAY_FAIL)}
          AND d.endpoint_epoch IS DISTINCT FROM e.epoch
          AND (d.leased_until IS NULL OR d.leased_until <= ${Rows.at(now)})
        FOR UPDATE OF d SKIP LOCKED
      )
      UPDATE deliveries d SET ${sql.literal(FAIL)}
      FROM waiting w WHERE d.app_id = ${appId} AND d.delivery_id = w.delivery_id`

const MAY_FAIL = mayTake("Failed", "d.state")
const FAIL = setting(["Failed"], "w")

const hurryOne = (sql: SqlClient, appId: AppId, id: DeliveryId, now: Timestamp.Timestamp) =>
  sql`WITH held AS (
        SELECT delivery_id, due_at AS was_due_at, ${Rows.at(now)}::timestamptz AS due_at,
               CASE WHEN NOT (${sql.literal(MAY_HURRY)}) THEN 'ended'
                    WHEN leased_until > ${Rows.at(now)} THEN 'under_way'
                    ELSE 'hurried' END AS outcome
        FROM deliveries WHERE app_id = ${appId} AND delivery_id = ${id} FOR UPDATE
      ), hurried AS (
        UPDATE deliveries d SET ${sql.literal(HURRY)}
        FROM held h
        WHERE d.app_id = ${appId} AND d.delivery_id = h.delivery_id AND h.outcome = 'hurried' AND h.was_due_at > h.due_at
      )
      SELECT outcome FROM held`.pipe(Rows.first(HurryRow), Effect.map(Option.map(({ outcome }) => outcome)))

const MAY_HURRY = mayTake("Hurried", "state")
const HURRY = setting(["Hurried"], "h")

type Recovery = Parameters<typeof DeliveryStore.Service.recover>[0]

const EpochRow = Schema.Struct({ epoch: Schema.Int })

export const recover = (sql: SqlClient, recovery: Recovery) =>
  Effect.gen(function* () {
    const { appId, endpointId: id, now } = recovery
    const enabled = yield* sql`SELECT epoch FROM endpoints
        WHERE app_id = ${appId} AND endpoint_id = ${id} AND disabled_at IS NULL`.pipe(Rows.first(EpochRow))
    if (Option.isNone(enabled)) return 0
    // Each batch is a transaction of its own, so that claims and other statements wait for one batch only.
    const ending = { appId, id, epoch: enabled.value.epoch, reason: "endpoint_disabled", now, atMost: SWEEP } as const
    while ((yield* endWaiting(sql, ending)) === SWEEP);
    return yield* replayLost(sql, recovery)
  })

/**
 * Locks the endpoint in one statement, and reads the failed deliveries in the next. After a wait for the lock, a single
 * statement would still see the deliveries as they were before the wait. It would find only deliveries that the other
 * transaction has replayed, store nothing, and return 0 although other deliveries are left.
 */
const replayLost = (sql: SqlClient, recovery: Recovery) =>
  sql`SELECT epoch FROM endpoints
      WHERE app_id = ${recovery.appId} AND endpoint_id = ${recovery.endpointId} AND disabled_at IS NULL
      FOR NO KEY UPDATE`.pipe(
    Rows.first(EpochRow),
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.succeed(0),
        onSome: ({ epoch }) => Effect.map(replayUnder(sql, epoch, recovery), (rows) => rows.length)
      })
    ),
    sql.withTransaction
  )

/** Stores the replays, and returns a row for each. The index `deliveries_log_failed` finds the failed deliveries. */
export const replayUnder = (
  sql: SqlClient,
  epoch: number,
  { appId, before, dueFrom, endpointId, ids, now, since }: Recovery
) =>
  sql`WITH lost AS (
        SELECT d.*, row_number() OVER (ORDER BY d.created_at, d.delivery_id COLLATE "C")::integer AS place
        FROM (
          SELECT d.* FROM deliveries d
          WHERE d.app_id = ${appId} AND d.endpoint_id = ${endpointId} AND d.state = 'failed' AND NOT d.is_test
            AND NOT d.is_replayed AND d.fail_reason IS DISTINCT FROM 'not_authorised'
            AND (d.replay_no = 0 OR d.fail_reason IS DISTINCT FROM 'address_changed')
            AND d.created_at >= ${Rows.at(since)} AND d.created_at < ${Rows.at(before)}
            AND (d.max_event_age_s IS NULL
                 OR d.occurred_at >= ${Rows.at(now)}::timestamptz - d.max_event_age_s * interval '1 second')
            AND NOT EXISTS (
              SELECT 1 FROM deliveries later
              WHERE later.app_id = ${appId} AND later.event_id = d.event_id AND later.endpoint_id = d.endpoint_id
                AND later.replay_no > d.replay_no)
          ORDER BY d.created_at, d.delivery_id COLLATE "C" LIMIT ${ids.length}
        ) d
      ), marked AS (
        UPDATE deliveries d SET is_replayed = true FROM lost l
        WHERE d.app_id = ${appId} AND d.app_id = l.app_id AND d.delivery_id = l.delivery_id
        RETURNING d.delivery_id
      )
      INSERT INTO deliveries (app_id, delivery_id, endpoint_id, endpoint_epoch, event_id, replay_no, is_test, user_id,
        envelope,
                              type, occurred_at, max_event_age_s, attempt, created_at, original_at, state, due_at)
      SELECT app_id, (${ids}::text[])[place], endpoint_id, ${epoch}::integer, event_id, replay_no + 1, false, user_id,
             envelope, type, occurred_at, max_event_age_s, 1, ${Rows.at(now)}, coalesce(original_at, created_at),
             ${sql.literal(FIRST_STATE)}, ${Rows.at(dueFrom)}::timestamptz + (place - 1) * interval '1 millisecond'
      FROM lost JOIN marked USING (delivery_id)
      ON CONFLICT (app_id, event_id, endpoint_id, replay_no) DO NOTHING
      RETURNING delivery_id`
