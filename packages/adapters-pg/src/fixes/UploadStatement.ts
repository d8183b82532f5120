import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fix, UploadCommit } from "@place-access/domain/fixes"
import type { RuleEvaluation } from "@place-access/domain/rules"
import type { Timestamp } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"
import * as RecentColumn from "../rules/RecentColumn.js"
import * as FixCounts from "../history/FixCounts.js"
import * as MovementColumn from "../history/MovementColumn.js"
import * as PutAsideColumn from "./PutAsideColumn.js"
import { fixTable, visitTable } from "./Incoming.js"

/**
 * Writes everything that an upload changes, in one statement: one round trip and one commit.
 *
 * The commit is optimistic. Uploads of one user queue at the user's row of `upload_streams`, and the statement compares
 * the version of that row with the version that the upload read. When another upload has raised the version meanwhile,
 * the CTE `moved` is empty, no part of the statement writes, and the statement returns no row: the caller then reads
 * again and retries. Otherwise the statement returns one row.
 *
 * Most uploads have no visits, put nothing aside and fire no rule, so parts that an upload does not need are left out.
 */
export const uploadStatement = (sql: SqlClient, upload: UploadCommit) => {
  const { deviceId, events, fixes, quarantined, states, taken, userId, visits } = upload
  return sql`
    WITH moved AS (${raiseVersion(sql, upload)})
    ${fixes.length === 0 ? sql`` : newFixes(sql, upload)}
    ${quarantined.length === 0 ? sql`` : newQuarantined(sql, upload)}
    ${taken.length === 0 ? sql`` : takenReadings(sql, upload)}
    ${visits.length === 0 ? sql`` : newVisits(sql, upload)}
    ${states.length === 0 ? sql`` : newStates(sql, upload)}
    ${events.length === 0 ? sql`` : newEvents(sql, upload)}, seen AS (
      UPDATE devices SET ${deviceAssignments(sql, upload)}
      FROM moved
      WHERE devices.user_id = ${userId} AND devices.device_id = ${deviceId}
    )
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

/** The SET list with which an upload updates the row of its device. */
export const deviceAssignments = (sql: SqlClient, { fixes, movement, putAside, receivedAt, visits }: UploadCommit) =>
  sql`last_seen_at = greatest(last_seen_at, ${Rows.at(receivedAt)}::timestamptz),
        ${fixes.length + visits.length === 0 ? sql`` : sql`last_kept_at = greatest(last_kept_at, ${Rows.at(receivedAt)}::timestamptz),`}
        ${visits.length === 0 ? sql`` : sql`visits_told_at = coalesce(visits_told_at, ${Rows.at(receivedAt)}::timestamptz),`}
        ${movement === null ? sql`` : sql`movement = ${MovementColumn.encode(movement)}::jsonb,`}
        ${putAside.length === 0 ? sql`` : sql`put_aside = ${PutAsideColumn.added(sql, putAside, receivedAt)},`}
        stays_due_from = least(stays_due_from, ${earliest(fixes)}::timestamptz)`

const newFixes = (sql: SqlClient, upload: UploadCommit) => sql`, new_fixes AS (
      INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, altitude_m, speed_mps, course_deg,
        received_at, left_behind)
      SELECT moved.user_id, fix.captured_at, ${upload.deviceId}, fix.lat, fix.lon, fix.accuracy_m, fix.altitude_m,
             fix.speed_mps, fix.course_deg, fix.received_at, fix.left_behind
      FROM moved, ${fixTable(sql, upload)}
      ON CONFLICT DO NOTHING
      RETURNING captured_at
    ), counted AS (${FixCounts.added(sql, upload.userId, sql`(SELECT is_counted FROM moved)`)})`

const newQuarantined = (
  sql: SqlClient,
  { deviceId, quarantined, receivedAt }: UploadCommit
) => sql`, new_quarantined AS (
      INSERT INTO quarantined_fixes (user_id, device_id, reading_key, reason, reading, received_at)
      SELECT moved.user_id, ${deviceId}, one.reading_key, one.reason, one.reading::jsonb,
        ${Rows.at(receivedAt)}::timestamptz
      FROM moved, unnest(${quarantined.map((one) => one.key)}::text[],
                         ${quarantined.map((one) => one.reason)}::text[],
                         ${quarantined.map((one) => Rows.json(one.reading))}::text[])
        AS one (reading_key, reason, reading)
      ON CONFLICT DO NOTHING
    )`

/** Deletes readings that were put aside earlier and that this upload stores as fixes. */
const takenReadings = (sql: SqlClient, { deviceId, taken, userId }: UploadCommit) => sql`, taken AS (
      DELETE FROM quarantined_fixes USING moved
      WHERE quarantined_fixes.user_id = ${userId} AND quarantined_fixes.user_id = moved.user_id
        AND quarantined_fixes.device_id = ${deviceId} AND quarantined_fixes.reading_key = ANY(${taken}::text[])
    )`

const newVisits = (sql: SqlClient, { deviceId, receivedAt, visits }: UploadCommit) => sql`, new_visits AS (
      INSERT INTO visit_reports (user_id, device_id, report_key, arrival, departure, lat, lon, accuracy_m, received_at)
      SELECT moved.user_id, ${deviceId}, visit.report_key, visit.arrival, visit.departure, visit.lat, visit.lon,
             visit.accuracy_m, ${Rows.at(receivedAt)}::timestamptz
      FROM moved, ${visitTable(sql, visits)}
      ON CONFLICT DO NOTHING
    )`

const newStates = (sql: SqlClient, { states }: UploadCommit) => sql`, new_states AS (
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

const newEvents = (sql: SqlClient, { events, receivedAt }: UploadCommit) => sql`, new_events AS (
      INSERT INTO events (user_id, event_id, connection_id, app_id, payload, occurred_at, webhook_url, max_event_age_s,
                          created_at, fan_out_due_at)
      SELECT moved.user_id, event.event_id, event.connection_id, event.app_id, event.payload::jsonb, event.occurred_at,
             event.webhook_url, event.max_event_age_s, ${Rows.at(receivedAt)}::timestamptz,
               ${Rows.at(receivedAt)}::timestamptz
      FROM moved, unnest(${events.map((event) => event.id)}::text[],
                         ${events.map((event) => event.connectionId)}::text[],
                         ${events.map((event) => event.appId)}::text[],
                         ${events.map((event) => Rows.json(event.payload))}::text[],
                         ${events.map((event) => Rows.at(event.occurredAt))}::timestamptz[],
                         ${events.map((event) => event.webhookUrl)}::text[],
                         ${events.map((event) => event.maxEventAgeS)}::integer[])
        AS event (event_id, connection_id, app_id, payload, occurred_at, webhook_url, max_event_age_s)
    )`

/** The earliest capture time; null without fixes. */
const earliest = (fixes: ReadonlyArray<Fix.Fix>): ReturnType<typeof Rows.nullableAt> =>
  fixes.length === 0
    ? null
    : Rows.at(fixes.reduce((low, { capturedAt }) => Math.min(low, capturedAt), Number.POSITIVE_INFINITY))
