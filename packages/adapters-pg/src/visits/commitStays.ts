import type { SqlClient } from "@effect/sql/SqlClient"
import type { DeviceId, UserId } from "@place-access/domain/shared"
import type { StayCommit, StayProgress, StayStore } from "@place-access/domain/visits"
import { Effect } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { stayView } from "./stayView.js"

type Store = typeof StayStore.Service

/**
 * An optimistic commit. Stays are derived without a lock, from a state that was read before (`StayStore.view`). The
 * commit locks the user's row of `upload_streams` and reads this state again. When it has changed, the commit writes
 * nothing.
 */
export const commit =
  (sql: SqlClient): Store["commit"] =>
  (step) =>
    Effect.gen(function* () {
      const { deviceId, userId, view } = step
      yield* lockStream(sql, userId)
      if (Rows.json(yield* stayView(sql, userId, deviceId)) !== Rows.json(view)) return false
      yield* deleteReplaced(sql, step)
      yield* insertStays(sql, step)
      yield* writeProgress(sql, userId, deviceId, view.progress, step.progress)
      if (step.isAnew) yield* markAnew(sql, userId, deviceId)
      return true
    }).pipe(sql.withTransaction, orStoreError)

/**
 * The version of the rules that derive stays (`devices.stays_rule`). The index in migration 0083 contains this number
 * too.
 */
export const STAYS_RULE = 2

const markAnew = (sql: SqlClient, userId: UserId, deviceId: DeviceId) =>
  sql`UPDATE devices SET stays_rule = ${sql.literal(String(STAYS_RULE))}
      WHERE user_id = ${userId} AND device_id = ${deviceId}`

/** Takes the lock of the user's uploads. Until the transaction ends, the user's uploads and other derivations wait. */
const lockStream = (sql: SqlClient, userId: UserId) =>
  sql`SELECT 1 FROM upload_streams WHERE user_id = ${userId} FOR UPDATE`

const deleteReplaced = (sql: SqlClient, { deviceId, from, placeIds, to, userId }: StayCommit) =>
  sql`DELETE FROM stays
      WHERE user_id = ${userId} AND place_id = ANY(${placeIds}::text[]) AND device_id = ${deviceId}
        AND arrival >= ${Rows.at(from)}
        AND (${Rows.nullableAt(to)}::timestamptz IS NULL OR arrival <= ${Rows.nullableAt(to)}::timestamptz)`

/**
 * Stores stays. The stay that was open before this step of deriving stays is stored already, so the statement updates
 * its end. Without the join with the device's row, Citus would not run the INSERT on one shard.
 */
const insertStays = (sql: SqlClient, { deviceId, stays, userId }: StayCommit) =>
  sql`INSERT INTO stays (user_id, place_id, device_id, arrival, departure, heard_until)
      SELECT d.user_id, t.place_id, d.device_id, t.arrival, t.departure, t.heard_until
      FROM devices d, unnest(${stays.map((stay) => stay.placeId)}::text[],
                  ${stays.map((stay) => Rows.at(stay.arrival))}::timestamptz[],
                  ${stays.map((stay) => Rows.nullableAt(stay.departure))}::timestamptz[],
                  ${stays.map((stay) => Rows.nullableAt(stay.heardUntil))}::timestamptz[])
        AS t (place_id, arrival, departure, heard_until)
      WHERE d.user_id = ${userId} AND d.device_id = ${deviceId}
      ON CONFLICT (user_id, place_id, device_id, arrival) DO UPDATE SET departure = excluded.departure,
        heard_until = excluded.heard_until`

const writeProgress = (
  sql: SqlClient,
  userId: UserId,
  deviceId: DeviceId,
  before: StayProgress.StayProgress,
  { backfills, dueFrom }: StayProgress.StayProgress
) =>
  Effect.gen(function* () {
    yield* sql`UPDATE devices SET stays_due_from = ${Rows.nullableAt(dueFrom)}, sends_visits = false
               WHERE user_id = ${userId} AND device_id = ${deviceId}`
    if (before.backfills.length === 0) return
    yield* sql`DELETE FROM stay_backfills WHERE user_id = ${userId} AND device_id = ${deviceId}`
    yield* sql`INSERT INTO stay_backfills (user_id, device_id, place_id, due_from)
               SELECT d.user_id, d.device_id, t.place_id, t.due_from
               FROM devices d, unnest(${backfills.map((one) => one.placeId)}::text[],
                           ${backfills.map((one) => Rows.at(one.dueFrom))}::timestamptz[]) AS t (place_id, due_from)
               WHERE d.user_id = ${userId} AND d.device_id = ${deviceId}`
  })
