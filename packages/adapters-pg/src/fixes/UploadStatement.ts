import type { SqlClient } from "@effect/sql/SqlClient"
import { type StoredUpload, type UploadCommit, VisitReport } from "@place-access/domain/fixes"
import type { RuleEvaluation } from "@place-access/domain/rules"
import type { Timestamp, UserId } from "@place-access/domain/shared"
import { Array as Arr } from "effect"
import * as Rows from "../driver/Rows.js"
import * as RecentColumn from "../rules/RecentColumn.js"
import * as FixCounts from "../history/FixCounts.js"
import * as MovementColumn from "../history/MovementColumn.js"
import * as PutAsideColumn from "./PutAsideColumn.js"
import { fixTable } from "./Incoming.js"
import * as UploadRows from "./UploadRows.js"

/**
 * Writes everything that uploads of one user change, in one statement: one round trip and one commit.
 *
 * The commit is optimistic. Commits of one user queue at the user's row of `upload_streams`, and the statement compares
 * the version of that row with the version that the uploads were evaluated on. When another commit has raised the
 * version meanwhile, the CTE `moved` is empty, no part of the statement writes, and the statement returns no row: the
 * caller then reads again and retries. Otherwise the statement returns one row.
 *
 * Most uploads have no visits, no readings to quarantine and no rule that fires, so parts that the uploads do not need
 * are left out.
 */
export const uploadStatement = (sql: SqlClient, commit: UploadCommit) => {
  const { states, uploads, userId } = commit
  const fixes = UploadRows.fixesOf(uploads)
  const [plain, counting] = Arr.partition(UploadRows.devicesOf(uploads), ({ putAside }) => putAside.length > 0)
  return sql`
    WITH moved AS (${raiseVersion(sql, commit)})
    ${fixes.length === 0 ? sql`` : newFixes(sql, userId, fixes)}
    ${uploads.every(({ quarantined }) => quarantined.length === 0) ? sql`` : newQuarantined(sql, uploads)}
    ${uploads.every(({ taken }) => taken.length === 0) ? sql`` : takenReadings(sql, userId, uploads)}
    ${uploads.every(({ visits }) => visits.length === 0) ? sql`` : newVisits(sql, uploads)}
    ${states.length === 0 ? sql`` : newStates(sql, states)}
    ${uploads.every(({ events }) => events.length === 0) ? sql`` : newEvents(sql, uploads)}
    ${plain.length === 0 ? sql`` : changedDevices(sql, userId, plain)}
    ${counting
      .map((change, index) => changedDevice(sql, userId, change, index))
      .reduce(
        // Nests templates and does not use `sql.join`, because the library would build each fragment of `sql.join`
        // again at each use.
        (before, next) => sql`${before}${next}`,
        sql``
      )}
    SELECT user_id FROM moved`
}

/**
 * If the version is still the one that the upload read, raises it and returns a row. The statement locks the user's row
 * until the commit. `is_counted` is true when the user's counts (`FixCounts`) are valid, so that the upload must add
 * its fixes to them.
 */
export const raiseVersion = (sql: SqlClient, { userId, version }: Pick<UploadCommit, "userId" | "version">) =>
  sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${userId}, ${version + 1})
      ON CONFLICT (user_id) DO UPDATE SET version = excluded.version, ${FixCounts.carried(sql, sql`excluded.version`)}
      WHERE stream.version = ${version}
      RETURNING stream.user_id, ${sql.literal(FixCounts.HOLDS)} AS is_counted`

/** The SET list with which uploads update the row of their device. */
export const deviceAssignments = (sql: SqlClient, change: UploadRows.DeviceChange) => {
  const { fixesFrom, keptAt, movement, putAside, seenAt, visitsAt } = change
  return sql`last_seen_at = greatest(last_seen_at, ${Rows.at(seenAt)}::timestamptz),
        ${keptAt === null ? sql`` : sql`last_kept_at = greatest(last_kept_at, ${Rows.at(keptAt)}::timestamptz),`}
        ${visitsAt === null ? sql`` : sql`visits_told_at = coalesce(visits_told_at, ${Rows.at(visitsAt)}::timestamptz),`}
        ${movement === null ? sql`` : sql`movement = ${MovementColumn.encode(movement)}::jsonb,`}
        ${putAside.length === 0 ? sql`` : sql`put_aside = ${PutAsideColumn.added(sql, putAside)},`}
        stays_due_from = least(stays_due_from, ${Rows.nullableAt(fixesFrom)}::timestamptz)`
}

/** Updates devices of which every uploaded entry was accepted and kept, which is the usual case. */
const changedDevices = (sql: SqlClient, userId: UserId, changes: ReadonlyArray<UploadRows.DeviceChange>) => {
  const movements = changes.map(({ movement }) => (movement === null ? null : MovementColumn.encode(movement)))
  return sql`, changed_devices AS (
      UPDATE devices SET
        last_seen_at = greatest(last_seen_at, change.seen_at),
        last_kept_at = greatest(last_kept_at, change.kept_at),
        visits_told_at = coalesce(visits_told_at, change.visits_at),
        movement = coalesce(change.movement::jsonb, devices.movement),
        stays_due_from = least(stays_due_from, change.fixes_from)
      FROM moved, unnest(${changes.map(({ deviceId }) => deviceId)}::text[],
                         ${changes.map(({ seenAt }) => Rows.at(seenAt))}::timestamptz[],
                         ${changes.map(({ keptAt }) => Rows.nullableAt(keptAt))}::timestamptz[],
                         ${changes.map(({ visitsAt }) => Rows.nullableAt(visitsAt))}::timestamptz[],
                         ${movements}::text[],
                         ${changes.map(({ fixesFrom }) => Rows.nullableAt(fixesFrom))}::timestamptz[])
        AS change (device_id, seen_at, kept_at, visits_at, movement, fixes_from)
      WHERE devices.user_id = ${userId} AND devices.device_id = change.device_id
    )`
}

/**
 * Updates one device whose uploads have entries that were quarantined or not kept. The row of the device counts these
 * entries, and `changedDevices` does not change counts.
 */
const changedDevice = (sql: SqlClient, userId: UserId, change: UploadRows.DeviceChange, index: number) =>
  sql`, ${sql.literal(`device_${index}`)} AS (
      UPDATE devices SET ${deviceAssignments(sql, change)}
      FROM moved
      WHERE devices.user_id = ${userId} AND devices.device_id = ${change.deviceId}
    )`

const newFixes = (sql: SqlClient, userId: UserId, rows: ReadonlyArray<UploadRows.FixRow>) => sql`, new_fixes AS (
      INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, altitude_m, speed_mps, course_deg,
        received_at, left_behind)
      SELECT moved.user_id, fix.captured_at, fix.device_id, fix.lat, fix.lon, fix.accuracy_m, fix.altitude_m,
             fix.speed_mps, fix.course_deg, fix.received_at, fix.left_behind
      FROM moved, ${fixTable(sql, rows)}
      ON CONFLICT DO NOTHING
      RETURNING captured_at
    ), counted AS (${FixCounts.added(sql, userId, sql`(SELECT is_counted FROM moved)`)})`

/** All readings that were put aside are in one INSERT. When two uploads have the same reading, it is stored once. */
const newQuarantined = (sql: SqlClient, uploads: UploadCommit["uploads"]) => {
  const rows = uploads.flatMap(({ deviceId, quarantined, receivedAt }) =>
    quarantined.map((one) => ({ deviceId, receivedAt, one }))
  )
  return sql`, new_quarantined AS (
      INSERT INTO quarantined_fixes (user_id, device_id, reading_key, reason, reading, received_at)
      SELECT moved.user_id, one.device_id, one.reading_key, one.reason, one.reading::jsonb, one.received_at
      FROM moved, unnest(${rows.map(({ deviceId }) => deviceId)}::text[],
                         ${rows.map(({ one }) => one.key)}::text[],
                         ${rows.map(({ one }) => one.reason)}::text[],
                         ${rows.map(({ one }) => Rows.json(one.reading))}::text[],
                         ${rows.map(({ receivedAt }) => Rows.at(receivedAt))}::timestamptz[])
        AS one (device_id, reading_key, reason, reading, received_at)
      ON CONFLICT DO NOTHING
    )`
}

/** Deletes readings that were put aside earlier and that these uploads store as fixes. */
const takenReadings = (sql: SqlClient, userId: UserId, uploads: UploadCommit["uploads"]) => {
  const rows = uploads.flatMap(({ deviceId, taken }) => taken.map((key) => ({ deviceId, key })))
  return sql`, taken AS (
      DELETE FROM quarantined_fixes
      USING moved, unnest(${rows.map(({ deviceId }) => deviceId)}::text[], ${rows.map(({ key }) => key)}::text[])
        AS one (device_id, reading_key)
      WHERE quarantined_fixes.user_id = ${userId} AND quarantined_fixes.user_id = moved.user_id
        AND quarantined_fixes.device_id = one.device_id AND quarantined_fixes.reading_key = one.reading_key
    )`
}

/** All visits are in one INSERT: when two uploads report the same visit, the first report is stored. */
const newVisits = (sql: SqlClient, uploads: UploadCommit["uploads"]) => {
  const rows = uploads.flatMap(({ deviceId, receivedAt, visits }) =>
    visits.map((visit) => ({ deviceId, receivedAt, visit }))
  )
  return sql`, new_visits AS (
      INSERT INTO visit_reports (user_id, device_id, report_key, arrival, departure, lat, lon, accuracy_m, received_at)
      SELECT moved.user_id, visit.device_id, visit.report_key, visit.arrival, visit.departure, visit.lat, visit.lon,
             visit.accuracy_m, visit.received_at
      FROM moved, unnest(${rows.map(({ deviceId }) => deviceId)}::text[],
                         ${rows.map(({ visit }) => VisitReport.key(visit))}::text[],
                         ${rows.map(({ visit }) => Rows.nullableAt(visit.arrival))}::timestamptz[],
                         ${rows.map(({ visit }) => Rows.nullableAt(visit.departure))}::timestamptz[],
                         ${rows.map(({ visit }) => visit.lat)}::float8[],
                         ${rows.map(({ visit }) => visit.lon)}::float8[],
                         ${rows.map(({ visit }) => visit.accuracyM)}::float8[],
                         ${rows.map(({ receivedAt }) => Rows.at(receivedAt))}::timestamptz[])
        AS visit (device_id, report_key, arrival, departure, lat, lon, accuracy_m, received_at)
      ON CONFLICT DO NOTHING
    )`
}

const newStates = (sql: SqlClient, states: UploadCommit["states"]) => sql`, new_states AS (
      INSERT INTO rule_states AS present (user_id, rule_id, side, since, dwell_spent, as_of, last_fired_at,
        unsettled_at, unsettled_until, settle_due_at, basis, recent)
      SELECT moved.user_id, state.*
      FROM moved, unnest(${states.map(({ ruleId }) => ruleId)}::text[],
                         ${states.map(({ state }) => state.side)}::text[],
                         ${states.map(({ state }) => Rows.nullableAt(state.since))}::timestamptz[],
                         ${states.map(({ state }) => state.dwellSpent)}::boolean[],
                         ${states.map(({ state }) => Rows.nullableAt(state.asOf))}::timestamptz[],
                         ${states.map(({ state }) => Rows.nullableAt(state.lastFiredAt))}::timestamptz[],
                         ${states.map(({ state }) => Rows.nullableAt(state.unsettled?.at ?? null))}::timestamptz[],
                         ${states.map(({ state }) => Rows.nullableAt(state.unsettled?.until ?? null))}::timestamptz[],
                         ${states.map(({ state }) => Rows.nullableAt(settleDueAt(state)))}::timestamptz[],
                         ${states.map(({ state }) => state.basis)}::text[],
                         ${states.map(({ made }) => RecentColumn.encode(made))}::text[]) AS state
      ${replaceState(sql)}
    )`

/**
 * The time at which a worker fires the rule for an unsettled crossing or dwell; null when the rule does not wait to
 * fire.
 */
export const settleDueAt = ({ unsettled }: RuleEvaluation.RuleMemory): Timestamp.Timestamp | null =>
  unsettled !== null && unsettled.fires ? unsettled.until : null

/**
 * The ON CONFLICT part of the INSERT of rule states: a stored state is replaced, and the new evaluations are appended
 * to the stored ones.
 */
export const replaceState = (sql: SqlClient) =>
  sql`ON CONFLICT (user_id, rule_id) DO UPDATE SET
        side = excluded.side, since = excluded.since, dwell_spent = excluded.dwell_spent, as_of = excluded.as_of,
        last_fired_at = excluded.last_fired_at, unsettled_at = excluded.unsettled_at,
        unsettled_until = excluded.unsettled_until, settle_due_at = excluded.settle_due_at, basis = excluded.basis,
        recent = ${sql.literal(RecentColumn.appended("present.recent", "excluded.recent"))}`

/** An event to insert, with the arrival of the upload that caused it. */
interface EventRow {
  readonly event: StoredUpload["events"][number]
  readonly receivedAt: Timestamp.Timestamp
}

const newEvents = (sql: SqlClient, uploads: UploadCommit["uploads"]) => {
  const rows = uploads.flatMap(({ events, receivedAt }) => events.map((event): EventRow => ({ event, receivedAt })))
  return sql`, new_events AS (
      INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, webhook_url, max_event_age_s,
                          created_at, fan_out_due_at)
      SELECT moved.user_id, event.event_id, event.connection_id, event.app_id, event.payload::jsonb, event.occurred_at,
             event.webhook_url, event.max_event_age_s, event.received_at, event.received_at
      FROM moved, unnest(${rows.map(({ event }) => event.id)}::text[],
                         ${rows.map(({ event }) => event.connectionId)}::text[],
                         ${rows.map(({ event }) => event.appId)}::text[],
                         ${rows.map(({ event }) => Rows.json(event.payload))}::text[],
                         ${rows.map(({ event }) => Rows.at(event.occurredAt))}::timestamptz[],
                         ${rows.map(({ event }) => event.webhookUrl)}::text[],
                         ${rows.map(({ event }) => event.maxEventAgeS)}::integer[],
                         ${rows.map(({ receivedAt }) => Rows.at(receivedAt))}::timestamptz[])
        AS event (event_id, connection_id, app_id, payload, occurred_at, webhook_url, max_event_age_s, received_at)
    )`
}
