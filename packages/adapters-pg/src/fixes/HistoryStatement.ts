import type { SqlClient } from "@effect/sql/SqlClient"
import type { ImportedDevice } from "@place-access/domain/imports"
import type { DeviceId, ImportId, Timestamp, UserId } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"
import * as FixCounts from "../history/FixCounts.js"
import { numberedFixTable, visitTable } from "./Incoming.js"

interface History {
  readonly userId: UserId
  readonly id: ImportId
  readonly deviceId: DeviceId
  readonly at: Timestamp.Timestamp
  readonly fixes: ReadonlyArray<ImportedDevice.ImportedFix>
  readonly visits: ReadonlyArray<ImportedDevice.ImportedVisit>
  /** False: the user had no fix between the first and the last of `fixes`, so none of `fixes` is stored already. */
  readonly isAnyKnown: boolean
  /** True: the fixes are stored and counted already under another device, and this device has the same fixes too. */
  readonly isAlso: boolean
}

/**
 * Stores the fixes and visits of one device of an import, and counts them in the row of the import. Leaves out fixes
 * and visits that the user has already from any device. No rule is evaluated. `erased`: the number of entries that were
 * left out because the user deleted their time. The caller has locked the user's row of `upload_streams` and raised its
 * version.
 */
export const historyStatement = (
  sql: SqlClient,
  { at, deviceId, fixes, id, isAlso, isAnyKnown, userId, visits }: History,
  erased: number
) =>
  sql`
    WITH new_fixes AS (
      INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, altitude_m, speed_mps, course_deg,
        received_at, left_behind)
      SELECT ${userId}, fix.captured_at, ${deviceId}, fix.lat, fix.lon, fix.accuracy_m, fix.altitude_m, fix.speed_mps,
             fix.course_deg, ${Rows.at(at)}::timestamptz, fix.left_behind
      FROM ${numberedFixTable(sql, fixes)}
      ${isAnyKnown ? isNew(sql, userId) : sql``}
      ON CONFLICT DO NOTHING
      RETURNING captured_at
    )${isAnyKnown ? alsoFixes(sql, userId, deviceId, fixes) : sql``}, counted AS (
      ${FixCounts.added(sql, userId, sql`(SELECT ${sql.literal(FixCounts.HOLDS)} FROM upload_streams stream WHERE stream.user_id = ${userId})`)}
    )${visits.length === 0 ? sql`` : newVisits(sql, userId, deviceId, at, visits)}, marked AS (
      UPDATE devices device SET
        shared_from = least(device.shared_from, shared.first_at),
        shared_until = greatest(device.shared_until, shared.last_at),
        stays_due_from = CASE WHEN ${nothingNew(sql)} THEN device.stays_due_from
          ELSE least(device.stays_due_from, fresh.first_at, shared.first_at, ${ifFirst(sql, "shared_from")}) END,
        history_ends_at = CASE WHEN ${nothingNew(sql)} THEN NULL
          ELSE greatest(device.history_ends_at, fresh.last_at, shared.last_at, ${ifFirst(sql, "shared_until")}) END
      FROM (SELECT (SELECT min(captured_at) FROM new_fixes) AS first_at,
                   greatest((SELECT max(captured_at) FROM new_fixes)${
                     visits.length === 0 ? sql`` : sql`, (SELECT max(last_at) FROM new_visits)`
                   }) AS last_at) fresh,
           (${
             isAnyKnown
               ? sql`SELECT min(captured_at) AS first_at, max(captured_at) AS last_at FROM also_fixes`
               : sql`SELECT NULL::timestamptz AS first_at, NULL::timestamptz AS last_at`
           }) shared
      WHERE device.user_id = ${userId} AND device.device_id = ${deviceId}
    )
    UPDATE imports SET
      stored = stored + fresh.entries,
      duplicates = duplicates + ${isAlso ? 0 : fixes.length + visits.length}::integer - fresh.entries,
      too_old = too_old + ${erased}
    FROM (SELECT ((SELECT count(*) FROM new_fixes)${
      visits.length === 0 ? sql`` : sql` + (SELECT count(*) FROM new_visits)`
    })::integer AS entries) fresh
    WHERE user_id = ${userId} AND import_id = ${id}`

/**
 * An SQL condition: this step and all earlier steps stored no new entry for this device, for example because the user
 * had every entry of the file already.
 */
const nothingNew = (sql: SqlClient) => sql`device.history_ends_at IS NULL AND fresh.last_at IS NULL`

/**
 * An SQL expression for the row `device` of an import: in the step that gives this device its first new entry, the
 * stored value of `column`; in later steps null. The column has the time of the first or the last fix of the file that
 * the user had already from another device. A new entry comes from the file, or from an import that is undone and hands
 * the entry over. Before the first new entry, fixes that the user had already make no stays due, so that a file that is
 * imported twice changes nothing. From then on, these fixes make stays due too.
 */
export const ifFirst = (sql: SqlClient, column: "shared_from" | "shared_until") =>
  sql`CASE WHEN device.history_ends_at IS NULL THEN ${sql(`device.${column}`)} END`

/**
 * A part of `historyStatement`. For each fix that is stored already for another device (a phone, or a device of an
 * import), it adds this import's device to the column `also_from` of the stored fix. So the stays of this import are
 * derived from these fixes too, and remain when the other import is undone while this import exists (decision
 * imports-13). The statement finds the fixes by a list of times, with one index look-up for each. A join could read all
 * fixes between the first and the last of these times.
 */
const alsoFixes = (sql: SqlClient, userId: UserId, deviceId: DeviceId, fixes: History["fixes"]) =>
  sql`, also_fixes AS (
      UPDATE fixes brought SET also_from = array_append(brought.also_from, ${deviceId})
      WHERE brought.user_id = ${userId}
        AND brought.captured_at = ANY(ARRAY(SELECT fix.captured_at FROM ${numberedFixTable(sql, fixes)}))
        AND (brought.captured_at, brought.lat, brought.lon) IN (
          SELECT fix.captured_at, fix.lat, fix.lon FROM ${numberedFixTable(sql, fixes)})
        AND ${isOfOther(sql, deviceId)}
      RETURNING brought.captured_at
    )`

/**
 * An SQL condition: whether the row `brought` belongs to another device, and its `also_from` does not contain this
 * device yet.
 */
const isOfOther = (sql: SqlClient, deviceId: DeviceId) =>
  sql`brought.device_id <> ${deviceId} AND NOT coalesce(${deviceId} = ANY(brought.also_from), false)`

/**
 * An SQL condition: whether the row `brought` belongs to an import. When an import is undone, another import with the
 * same fix takes its row over (`also_from`). A phone's rows are never undone, so they need no `also_from`.
 */
const isOfImport = (sql: SqlClient, userId: UserId) =>
  sql`brought.device_id IN (SELECT device_id FROM devices WHERE user_id = ${userId} AND format = 'import')`

/**
 * A WHERE clause that selects only fixes that the user does not have. The subquery makes one index look-up for each
 * fix; a join might read all fixes between the first and the last.
 */
const isNew = (sql: SqlClient, userId: UserId) => sql`WHERE (
        SELECT true FROM fixes known
        WHERE known.user_id = ${userId} AND known.captured_at = fix.captured_at AND known.lat = fix.lat
          AND known.lon = fix.lon
        LIMIT 1
      ) IS NULL`

const newVisits = (
  sql: SqlClient,
  userId: UserId,
  deviceId: DeviceId,
  at: Timestamp.Timestamp,
  visits: History["visits"]
) => sql`, new_visits AS (
      INSERT INTO visit_reports (user_id, device_id, report_key, arrival, departure, lat, lon, accuracy_m, received_at)
      SELECT ${userId}, ${deviceId}, visit.report_key, visit.arrival, visit.departure, visit.lat, visit.lon,
             visit.accuracy_m, ${Rows.at(at)}::timestamptz
      FROM ${visitTable(sql, visits)}
      WHERE (
        SELECT true FROM devices
        JOIN visit_reports known ON known.user_id = devices.user_id AND known.device_id = devices.device_id
          AND known.report_key = visit.report_key
        WHERE devices.user_id = ${userId} AND known.user_id = ${userId}
        LIMIT 1
      ) IS NULL
      ON CONFLICT DO NOTHING
      RETURNING coalesce(departure, arrival) AS last_at
    ), also_visits AS (
      UPDATE visit_reports brought SET also_from = array_append(brought.also_from, ${deviceId})
      FROM ${visitTable(sql, visits)}
      WHERE brought.user_id = ${userId} AND brought.report_key = visit.report_key
        AND ${isOfOther(sql, deviceId)} AND ${isOfImport(sql, userId)}
    )`
