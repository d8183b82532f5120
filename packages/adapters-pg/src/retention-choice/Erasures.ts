import type { SqlClient } from "@effect/sql/SqlClient"
import { Movement } from "@place-access/domain/devices"
import { VisitReport } from "@place-access/domain/fixes"
import { Erasure } from "@place-access/domain/retention-choice"
import type { RecentEvaluations } from "@place-access/domain/rules"
import { DeviceId, ImportId, RuleId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as MovementColumn from "../history/MovementColumn.js"
import * as FixCounts from "../history/FixCounts.js"
import { staysDueFrom } from "../history/staysDueFrom.js"
import * as UploadStream from "../history/UploadStream.js"
import { RecentColumn } from "../rules/RecentColumn.js"

/**
 * SQL: the stretches of history that a user deleted, as one JSON value; null when the user deleted none. A statement
 * that also reads other columns selects this expression.
 */
export const column = (sql: SqlClient, userId: UserId) =>
  sql`(SELECT jsonb_agg(jsonb_build_object('from', (extract(epoch FROM e.from_at) * 1000)::bigint,
                                           'until', (extract(epoch FROM e.until_at) * 1000)::bigint) ORDER BY e.from_at)
       FROM erasures e WHERE e.user_id = ${userId})`

/** Decodes the JSON value of `column`: the deleted stretches; null when the user deleted none. */
export const Column = Schema.NullOr(
  Schema.Array(Schema.Struct({ from: Timestamp.Timestamp, until: Timestamp.Timestamp }))
)

/** An SQL condition: the user deleted the stretch of history that contains this instant. */
export const covering = (sql: SqlClient, userId: UserId, at: Timestamp.Timestamp) =>
  sql`EXISTS (SELECT 1 FROM erasures e
              WHERE e.user_id = ${userId} AND e.from_at <= ${Rows.at(at)} AND e.until_at > ${Rows.at(at)})`

const ErasureRow = Schema.Struct({
  from_at: Rows.At,
  until_at: Rows.At,
  erased_at: Rows.At,
  import_id: Schema.NullOr(ImportId)
})

const readRows = Rows.read(ErasureRow)

/** Selects the rows that `read` decodes. */
export const select = (sql: SqlClient, userId: UserId) =>
  sql`SELECT from_at, until_at, erased_at, import_id FROM erasures WHERE user_id = ${userId} ORDER BY from_at`

export const read = (rows: ReadonlyArray<unknown>) =>
  Effect.map(readRows(rows), (all) =>
    all.map((row): Erasure.Erasure => ({
      from: row.from_at,
      until: row.until_at,
      erasedAt: row.erased_at,
      ...(row.import_id === null ? {} : { importId: row.import_id })
    }))
  )

/** The user's rows of `erasures`. Stretches of different origins may touch each other (`Erasure.importId`). */
const stored = (sql: SqlClient, userId: UserId) => Effect.flatMap(select(sql, userId), read)

/** Implements `HistoryStore.erasures`. */
export const list = (sql: SqlClient, userId: UserId) => Effect.map(stored(sql, userId), Erasure.merged)

/** Implements `HistoryStore.erase`. All rows are on the user's shard. */
export const erase = (sql: SqlClient, userId: UserId, erasure: Erasure.Erasure) =>
  Effect.gen(function* () {
    // From this lock until the end of the transaction, the user's uploads and the derivations of the user's stays wait.
    // After the transaction, they read the user's state again.
    yield* UploadStream.lock(sql, userId, 1)
    const before = yield* stored(sql, userId)
    const after = Erasure.add(before, erasure)
    if (after.length > Erasure.MOST) return false
    yield* write(sql, userId, before, after)
    yield* eraseReadings(sql, userId, erasure)
    yield* eraseVisits(sql, userId, erasure)
    yield* eraseFromRules(sql, userId, erasure)
    yield* eraseFromDevices(sql, userId, erasure)
    return true
  }).pipe(sql.withTransaction)

type Erasures = ReadonlyArray<Erasure.Erasure>

const write = (sql: SqlClient, userId: UserId, before: Erasures, after: Erasures) =>
  Effect.gen(function* () {
    for (const one of before.filter((one) => !after.includes(one))) {
      yield* sql`DELETE FROM erasures WHERE user_id = ${userId} AND from_at = ${Rows.at(one.from)}`
    }
    for (const one of after.filter((one) => !before.includes(one))) {
      yield* sql`INSERT INTO erasures (user_id, from_at, until_at, erased_at, import_id)
                 VALUES (${userId}, ${Rows.at(one.from)}, ${Rows.at(one.until)}, ${Rows.at(one.erasedAt)},
                   ${one.importId ?? null})`
    }
  })

const HistoryRow = Schema.Struct({ has_history: Schema.Boolean })

/**
 * Adds the deleted stretches of an archive to the stored stretches `before` (`Erasure.restored`). Returns all stretches
 * that are then stored, and how many were added. The caller has locked the user's row of `upload_streams` and raised
 * its version.
 */
export const restore = (sql: SqlClient, userId: UserId, stretches: Erasures, before: Erasures) =>
  Effect.gen(function* () {
    let count = 0
    let all = before
    for (const stretch of stretches) {
      const [from, until] = [Rows.at(stretch.from), Rows.at(stretch.until)]
      const found = yield* sql`SELECT EXISTS (
            SELECT 1 FROM fixes WHERE user_id = ${userId} AND captured_at >= ${from} AND captured_at < ${until}
          ) OR EXISTS (
            SELECT 1 FROM visit_reports WHERE user_id = ${userId}
              AND (arrival >= ${from} AND arrival < ${until}
                   OR departure > ${from} AND coalesce(arrival, departure) < ${until})
          ) AS has_history`.pipe(Rows.first(HistoryRow))
      const hasHistory = Option.exists(found, (row) => row.has_history)
      const after = Erasure.restored(all, stretch, hasHistory)
      if (after === undefined) continue
      yield* write(sql, userId, all, after)
      all = after
      yield* deriveFrom(sql, userId, stretch.from)
      count++
    }
    return { all, count }
  })

/** Makes a worker derive the stays of each device anew, from the given time on (`staysDueFrom`). */
const deriveFrom = (sql: SqlClient, userId: UserId, from: Timestamp.Timestamp) =>
  sql`UPDATE devices SET stays_due_from = ${staysDueFrom(sql, from)} WHERE user_id = ${userId}`

/**
 * Removes, from the user's list of deleted stretches, those that came with an archive whose import is undone, and makes
 * a worker derive the stays anew, because a stay may now continue through the time of a removed stretch. The caller has
 * locked the user's row of `upload_streams` and raised its version.
 */
export const withdraw = (sql: SqlClient, userId: UserId, importId: ImportId) =>
  Effect.gen(function* () {
    const [first] = (yield* stored(sql, userId)).filter((one) => one.importId === importId)
    if (first === undefined) return
    yield* sql`DELETE FROM erasures WHERE user_id = ${userId} AND import_id = ${importId}`
    yield* deriveFrom(sql, userId, first.from)
  })

const eraseReadings = (sql: SqlClient, userId: UserId, { from, until }: Erasure.Stretch) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM fixes
               WHERE user_id = ${userId} AND captured_at >= ${Rows.at(from)} AND captured_at < ${Rows.at(until)}`
    yield* FixCounts.recount(sql, userId, { from, until })
    yield* futureOf(sql, userId, { from, until })
    yield* putAsideOf(sql, userId, { from, until })
  })

// The times that a quarantined reading or visit report states, as numbers. Nobody checked the reading, so a time may be
// any number, or no number at all. The indexes of migration 0101 have the same expressions.
const SAID = `(CASE WHEN jsonb_typeof(reading -> 'capturedAt') = 'number' THEN (reading -> 'capturedAt')::numeric
    WHEN jsonb_typeof(reading -> 'arrival') = 'number' THEN (reading -> 'arrival')::numeric END)`
const DEPARTURE = `(CASE WHEN jsonb_typeof(reading -> 'departure') = 'number'
    THEN (reading -> 'departure')::numeric END)`
/**
 * The SQL expression for the time of receipt that the indexes of migration 0101 contain. The index
 * `quarantined_fixes_by_age` contains the column itself.
 */
const RECEIVED = "timezone('UTC', received_at)"

/**
 * An SQL condition on a quarantined reading: it may come from the stretch (`Erasure.mayComeFrom` in memory). PostgreSQL
 * reads one index for each part of the OR, and reads only readings that may come from the stretch. A reading with a
 * time after the stretch is found by `RECEIVED`: with the plain column `received_at`, PostgreSQL might read all
 * readings from before the stretch.
 */
const mayComeFrom = (sql: SqlClient, { from, until }: Erasure.Stretch) => {
  const received = sql.literal(RECEIVED)
  const said = (time: string) => {
    const at = sql.literal(time)
    return sql`${at} >= ${from}::numeric AND ${at} < ${until}::numeric
              OR ${at} >= ${until}::numeric AND ${received} < timezone('UTC', ${Rows.at(from)}::timestamptz)`
  }
  return sql`(received_at >= ${Rows.at(from)} AND received_at < ${Rows.at(until)}
              OR ${said(SAID)} OR ${said(DEPARTURE)})`
}

/** Deletes the quarantined readings and visit reports that may come from the stretch. */
export const putAsideOf = (sql: SqlClient, userId: UserId, stretch: Erasure.Stretch) =>
  sql`DELETE FROM quarantined_fixes WHERE user_id = ${userId} AND ${mayComeFrom(sql, stretch)}`

/**
 * Deletes readings that were put aside because their time was in the future: those that may come from the stretch, and
 * those of the same device that arrived earlier or at the same time. The newest reading of each device is found once: a
 * sub-query for each row would read all rows for each row.
 */
export const futureOf = (sql: SqlClient, userId: UserId, stretch: Erasure.Stretch) => {
  const future = sql`user_id = ${userId} AND reason = 'future' AND reading ? 'capturedAt'`
  return sql`WITH gone AS MATERIALIZED (
               SELECT device_id AS gone_device, max(received_at) AS gone_until FROM quarantined_fixes
               WHERE ${future} AND ${mayComeFrom(sql, stretch)} GROUP BY device_id)
             DELETE FROM quarantined_fixes USING gone
             WHERE ${future} AND device_id = gone_device AND received_at <= gone_until`
}

const ReportRow = Schema.Struct({
  device_id: DeviceId,
  report_key: Schema.String,
  arrival: Rows.NullableAt,
  departure: Rows.NullableAt,
  lat: Schema.Finite,
  lon: Schema.Finite,
  accuracy_m: Schema.NullOr(Schema.Finite)
})

/**
 * Deletes or shortens visit reports and stays. A shortened report gets the key of its new times. When the phone sends
 * the original report again, the upload shortens that report in the same way. It then has the same key, so it is not
 * stored twice.
 */
const eraseVisits = (sql: SqlClient, userId: UserId, erasure: Erasure.Erasure) =>
  Effect.gen(function* () {
    const { from, until } = erasure
    const reports = yield* sql`SELECT device_id, report_key, arrival, departure, lat, lon, accuracy_m FROM visit_reports
        WHERE user_id = ${userId} AND coalesce(arrival, departure) < ${Rows.at(until)}
          AND coalesce(departure, arrival) >= ${Rows.at(from)}`.pipe(Rows.all(ReportRow))
    for (const { accuracy_m, device_id, report_key, ...row } of reports) {
      const report: VisitReport.VisitReport = { ...row, accuracyM: accuracy_m }
      const kept = Erasure.withoutErased(report, [erasure])
      if (kept === report) continue
      const key = sql`user_id = ${userId} AND device_id = ${device_id} AND report_key = ${report_key}`
      const renamed = kept === undefined ? "" : VisitReport.key(kept)
      const others = yield* sql`SELECT 1 FROM visit_reports
          WHERE user_id = ${userId} AND device_id = ${device_id} AND report_key = ${renamed}`
      yield* kept === undefined || others.length > 0
        ? sql`DELETE FROM visit_reports WHERE ${key}`
        : sql`UPDATE visit_reports SET departure = ${Rows.nullableAt(kept.departure)}, report_key = ${renamed}
              WHERE ${key}`
    }
    yield* sql`DELETE FROM stays
               WHERE user_id = ${userId} AND arrival >= ${Rows.at(from)} AND arrival < ${Rows.at(until)}`
    // Answers show `heard_until` in place of the departure, so `heard_until` must not lie in the deleted stretch.
    yield* sql`UPDATE stays SET departure = ${Rows.at(from)},
                 heard_until = CASE WHEN heard_until < ${Rows.at(from)} THEN heard_until END
               WHERE user_id = ${userId} AND arrival < ${Rows.at(from)}
                 AND (departure IS NULL OR departure > ${Rows.at(from)})`
  })

const StateRow = Schema.Struct({ rule_id: RuleId, recent: RecentColumn })

const eraseFromRules = (sql: SqlClient, userId: UserId, erasure: Erasure.Erasure) =>
  Effect.gen(function* () {
    const { from, until } = erasure
    // Makes rules forget the side of the user that they know from the deleted stretch: the same change in SQL as
    // `RuleEvaluation.without` makes in memory.
    yield* sql`UPDATE rule_states SET side = NULL, since = NULL, dwell_spent = false, unsettled_at = NULL,
                 unsettled_until = NULL, settle_due_at = NULL
               WHERE user_id = ${userId}
                 AND (CASE WHEN since IS NOT NULL THEN since < ${Rows.at(until)}
                           ELSE as_of >= ${Rows.at(from)} AND as_of < ${Rows.at(until)} END
                      OR (unsettled_at >= ${Rows.at(from)} AND unsettled_at < ${Rows.at(until)}))`
    const states = yield* sql`SELECT rule_id, recent FROM rule_states
                              WHERE user_id = ${userId} AND recent <> ''`.pipe(Rows.all(StateRow))
    for (const { recent, rule_id } of states) {
      const kept: RecentEvaluations.RecentEvaluations = recent.filter((one) => !Erasure.covers(erasure, one.capturedAt))
      if (kept.length === recent.length) continue
      yield* sql`UPDATE rule_states SET recent = ${Schema.encodeSync(RecentColumn)(kept)}
                 WHERE user_id = ${userId} AND rule_id = ${rule_id}`
    }
  })

const MovementRow = Schema.Struct({ device_id: DeviceId, movement: MovementColumn.MovementColumn })

/**
 * Makes a worker derive the stays of each device anew from the start of the stretch, and deletes the positions of the
 * stretch from the column `movement`.
 */
const eraseFromDevices = (sql: SqlClient, userId: UserId, erasure: Erasure.Erasure) =>
  Effect.gen(function* () {
    const devices = yield* sql`UPDATE devices
        SET stays_due_from = ${staysDueFrom(sql, erasure.from)}
        WHERE user_id = ${userId} RETURNING device_id, movement`.pipe(Rows.all(MovementRow))
    for (const { device_id, movement: column } of devices) {
      const movement = MovementColumn.decode(column)
      if (movement === null || movement.heardAt < erasure.from) continue
      yield* sql`UPDATE devices SET movement = ${MovementColumn.encode(Movement.without(erasure, movement))}::jsonb
                 WHERE user_id = ${userId} AND device_id = ${device_id}`
    }
  })
