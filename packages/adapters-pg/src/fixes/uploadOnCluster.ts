import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { type StoredUpload, type UploadCommit, VisitReport } from "@place-access/domain/fixes"
import type { UserId } from "@place-access/domain/shared"
import { Array as Arr, Effect } from "effect"
import { last } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import * as RecentColumn from "../rules/RecentColumn.js"
import * as FixCounts from "../history/FixCounts.js"
import * as UploadRows from "./UploadRows.js"
import { deviceAssignments, raiseVersion, replaceState, settleDueAt } from "./UploadStatement.js"

/**
 * Stores uploads of one user on a cluster, as `uploadStatement` does on a single server. With an INSERT inside WITH,
 * Citus would move its rows between the nodes and commit in two phases, so each table has separate statements. All
 * statements go to the user's shard, so one server commits them. The first statement locks the user's row and checks
 * that the version is still the one that the uploads were evaluated on. Only then does the program send the other
 * statements, together with COMMIT.
 *
 * Returns false when another commit has raised the version meanwhile. Then nothing was written.
 */
export const uploadOnCluster = (sql: SqlClient, commit: UploadCommit): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const moved = yield* raiseVersion(sql, commit)
    if (moved.length === 0) return false
    const { states, uploads, userId } = commit
    const isCounted = moved[0]?.["is_counted"] === true
    const rows = [
      ...sent(sql, userId, uploads),
      ...concluded(sql, userId, states, uploads),
      ...(isCounted ? [counted(sql, userId, uploads)] : [])
    ]
    yield* last([
      ...rows.flatMap((one) => insertsOf(sql, one)),
      ...uploads.flatMap((upload) => (upload.taken.length === 0 ? [] : takenReadings(sql, userId, upload))),
      ...UploadRows.devicesOf(uploads).map(
        (change) => sql`UPDATE devices SET ${deviceAssignments(sql, change)}
                        WHERE user_id = ${userId} AND device_id = ${change.deviceId}`
      )
    ])
    return true
  }).pipe(sql.withTransaction)

const takenReadings = (sql: SqlClient, userId: UserId, { deviceId, taken }: StoredUpload) => [
  // A reading in `taken` was put aside earlier and may be stored as a fix already. Then its INSERT adds no row,
  // although the counts include it. So this statement makes the user's counts invalid, and the next long tally makes
  // them anew.
  sql`UPDATE upload_streams SET counted_version = NULL WHERE user_id = ${userId}`,
  sql`DELETE FROM quarantined_fixes
      WHERE user_id = ${userId} AND device_id = ${deviceId} AND reading_key = ANY(${taken}::text[])`
]

/** The rows to insert for the data that devices sent: fixes, readings that were put aside, and visit reports. */
const sent = (sql: SqlClient, userId: UserId, uploads: UploadCommit["uploads"]): ReadonlyArray<InsertedRows> => [
  {
    table: "fixes",
    rows: UploadRows.fixesOf(uploads).map(({ deviceId, fix, isLeftBehind, receivedAt }) => ({
      user_id: userId,
      device_id: deviceId,
      received_at: Rows.at(receivedAt),
      captured_at: Rows.at(fix.capturedAt),
      lat: fix.lat,
      lon: fix.lon,
      accuracy_m: fix.accuracyM,
      altitude_m: fix.altitudeM,
      speed_mps: fix.speedMps,
      course_deg: fix.courseDeg,
      left_behind: isLeftBehind
    })),
    onConflict: sql`ON CONFLICT DO NOTHING`
  },
  {
    table: "quarantined_fixes",
    rows: uploads.flatMap(({ deviceId, quarantined, receivedAt }) =>
      quarantined.map(({ key, reading, reason }) => ({
        user_id: userId,
        device_id: deviceId,
        received_at: Rows.at(receivedAt),
        reading_key: key,
        reason,
        reading: Rows.json(reading)
      }))
    ),
    onConflict: sql`ON CONFLICT DO NOTHING`
  },
  {
    table: "visit_reports",
    rows: uploads.flatMap(({ deviceId, receivedAt, visits }) =>
      visits.map((visit) => ({
        user_id: userId,
        device_id: deviceId,
        received_at: Rows.at(receivedAt),
        report_key: VisitReport.key(visit),
        arrival: Rows.nullableAt(visit.arrival),
        departure: Rows.nullableAt(visit.departure),
        lat: visit.lat,
        lon: visit.lon,
        accuracy_m: visit.accuracyM
      }))
    ),
    onConflict: sql`ON CONFLICT DO NOTHING`
  }
]

/** The rows to insert into one table. Each row has its values by column. */
interface InsertedRows {
  readonly table: string
  readonly rows: ReadonlyArray<Record<string, string | number | boolean | Date | null>>
  readonly onConflict: Fragment
}

/**
 * The most rows in one INSERT. A statement has at most 65,535 parameters, and each value of these rows is a parameter:
 * a user with 5,462 rules has too many rule states, of 12 values each.
 */
const MAX_ROWS = 1_000

/** The statements that insert the rows. No statement when there are no rows. */
export const insertsOf = (sql: SqlClient, { onConflict, rows, table }: InsertedRows) =>
  Arr.chunksOf(rows, MAX_ROWS).map((some) => sql`INSERT INTO ${sql.literal(table)} ${sql.insert(some)} ${onConflict}`)

/** The rule states that uploads add or replace, and the events that they add. */
export const concluded = (
  sql: SqlClient,
  userId: UserId,
  states: UploadCommit["states"],
  uploads: ReadonlyArray<Pick<StoredUpload, "events" | "receivedAt">>
): ReadonlyArray<InsertedRows> => [
  {
    table: "rule_states AS present",
    rows: states.map(({ made, ruleId, state }) => ({
      user_id: userId,
      rule_id: ruleId,
      side: state.side,
      since: Rows.nullableAt(state.since),
      dwell_spent: state.dwellSpent,
      as_of: Rows.nullableAt(state.asOf),
      last_fired_at: Rows.nullableAt(state.lastFiredAt),
      unsettled_at: Rows.nullableAt(state.unsettled?.at ?? null),
      unsettled_until: Rows.nullableAt(state.unsettled?.until ?? null),
      settle_due_at: Rows.nullableAt(settleDueAt(state)),
      basis: state.basis,
      recent: RecentColumn.encode(made)
    })),
    onConflict: replaceState(sql)
  },
  {
    table: "events",
    rows: uploads.flatMap(({ events, receivedAt }) =>
      events.map((event) => ({
        user_id: userId,
        event_id: event.id,
        connection_id: event.connectionId,
        app_id: event.appId,
        payload: Rows.json(event.payload),
        occurred_at: Rows.at(event.occurredAt),
        webhook_url: event.webhookUrl,
        max_event_age_s: event.maxEventAgeS,
        created_at: Rows.at(receivedAt),
        fan_out_due_at: Rows.at(receivedAt)
      }))
    ),
    onConflict: sql``
  }
]

const counted = (sql: SqlClient, userId: UserId, uploads: UploadCommit["uploads"]): InsertedRows => ({
  table: "fix_counts AS known",
  rows: FixCounts.rowsOf(
    userId,
    uploads.flatMap(({ fixes }) => fixes)
  ),
  onConflict: FixCounts.addedOnConflict(sql)
})
