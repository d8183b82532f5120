import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { type UploadCommit, VisitReport } from "@place-access/domain/fixes"
import { Effect } from "effect"
import { last } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import * as RecentColumn from "../rules/RecentColumn.js"
import * as FixCounts from "../history/FixCounts.js"
import { deviceAssignments, raiseVersion, replaceState, settleDueAt } from "./UploadStatement.js"

/**
 * Stores an upload on a cluster, as `uploadStatement` does on a single server. With an INSERT inside WITH, Citus would
 * move its rows between the nodes and commit in two phases, so each table has a separate statement. All statements go
 * to the user's shard, so one server commits them. The first statement locks the user's row and checks that the version
 * is still the one that the upload read. Only then does the program send the other statements, together with COMMIT.
 *
 * Returns false when another upload has raised the version meanwhile. Then nothing was written.
 */
export const uploadOnCluster = (sql: SqlClient, upload: UploadCommit): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const moved = yield* raiseVersion(sql, upload)
    if (moved.length === 0) return false
    const { deviceId, taken, userId } = upload
    const isCounted = moved[0]?.["is_counted"] === true
    yield* last([
      ...[...sent(sql, upload), ...concluded(sql, upload), ...(isCounted ? [counted(sql, upload)] : [])].flatMap(
        ({ onConflict, rows, table }) =>
          rows.length === 0 ? [] : [sql`INSERT INTO ${sql.literal(table)} ${sql.insert(rows)} ${onConflict}`]
      ),
      ...(taken.length === 0
        ? []
        : [
            // A reading in `taken` was put aside earlier and may be stored as a fix already. Then its INSERT adds no
            // row, although the counts include it. So this statement makes the user's counts invalid, and the next long
            // tally makes them anew.
            sql`UPDATE upload_streams SET counted_version = NULL WHERE user_id = ${userId}`,
            sql`DELETE FROM quarantined_fixes
                WHERE user_id = ${userId} AND device_id = ${deviceId} AND reading_key = ANY(${taken}::text[])`
          ]),
      sql`UPDATE devices SET ${deviceAssignments(sql, upload)} WHERE user_id = ${userId} AND device_id = ${deviceId}`
    ])
    return true
  }).pipe(sql.withTransaction)

/** The rows to insert for the data that the device sent: fixes, readings that were put aside, and visit reports. */
const sent = (sql: SqlClient, upload: UploadCommit) => {
  const { arrivals, deviceId, fixes, leftBehind, quarantined, userId, visits } = upload
  const receivedAt = Rows.at(upload.receivedAt)
  const [of, once] = [{ user_id: userId, device_id: deviceId, received_at: receivedAt }, sql`ON CONFLICT DO NOTHING`]
  return [
    {
      table: "fixes",
      rows: fixes.map((fix) => ({
        ...of,
        received_at: Rows.at(arrivals.get(fix) ?? upload.receivedAt),
        captured_at: Rows.at(fix.capturedAt),
        lat: fix.lat,
        lon: fix.lon,
        accuracy_m: fix.accuracyM,
        altitude_m: fix.altitudeM,
        speed_mps: fix.speedMps,
        course_deg: fix.courseDeg,
        left_behind: leftBehind.has(fix)
      })),
      onConflict: once
    },
    {
      table: "quarantined_fixes",
      rows: quarantined.map(({ key, reading, reason }) => ({
        ...of,
        reading_key: key,
        reason,
        reading: Rows.json(reading)
      })),
      onConflict: once
    },
    {
      table: "visit_reports",
      rows: visits.map((visit) => ({
        ...of,
        report_key: VisitReport.key(visit),
        arrival: Rows.nullableAt(visit.arrival),
        departure: Rows.nullableAt(visit.departure),
        lat: visit.lat,
        lon: visit.lon,
        accuracy_m: visit.accuracyM
      })),
      onConflict: once
    }
  ]
}

/** The rows to insert into one table. Each row has its values by column. */
interface InsertedRows {
  readonly table: string
  readonly rows: ReadonlyArray<Record<string, string | number | boolean | Date | null>>
  readonly onConflict: Fragment
}

/** The rule states that an upload adds or replaces, and the events that it adds. */
export const concluded = (
  sql: SqlClient,
  { events, receivedAt, states, userId }: Pick<UploadCommit, "events" | "receivedAt" | "states" | "userId">
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
    rows: events.map((event) => ({
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
    })),
    onConflict: sql``
  }
]

const counted = (sql: SqlClient, { fixes, userId }: UploadCommit) => ({
  table: "fix_counts AS known",
  rows: FixCounts.rowsOf(userId, fixes),
  onConflict: FixCounts.addedOnConflict(sql)
})
