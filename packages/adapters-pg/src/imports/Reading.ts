import type { SqlClient } from "@effect/sql/SqlClient"
import {
  Entry,
  Import,
  ImportedDevice,
  Months,
  type ImportStep,
  type ImportStore,
  type Leased
} from "@place-access/domain/imports"
import { DeviceId, type Timestamp } from "@place-access/domain/shared"
import { Data, Effect, Option, Schema } from "effect"
import * as NoticeChoices from "../accounts/NoticeChoices.js"
import { last, together } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import * as UploadStream from "../history/UploadStream.js"
import { orStoreError } from "../Failures.js"
import { historyStatement } from "../fixes/HistoryStatement.js"
import { insertReturned } from "../places/insertReturned.js"
import * as FixCounts from "../history/FixCounts.js"
import * as Buckets from "../leases/Buckets.js"
import * as Erasures from "../retention-choice/Erasures.js"
import { COLUMNS, deletePieces, ImportRow, isOne, KeyRow, toImport } from "./ImportRow.js"

/** The methods of `ImportStore` for the worker that reads an uploaded file. */

type Store = typeof ImportStore.Service

/**
 * An SQL condition on `imports`: an attempt to read or to undo the import is due. From `leased_until` on, an earlier
 * attempt counts as dead.
 */
const isDue = (sql: SqlClient, now: Timestamp.Timestamp) =>
  sql`state IN ('waiting', 'running', 'undoing') AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})`

export const due =
  (sql: SqlClient): Store["due"] =>
  (buckets, now, besides) =>
    sql`SELECT user_id, import_id FROM imports WHERE ${isDue(sql, now)} ${Buckets.andOf(sql, buckets)}
          AND user_id <> ALL(${besides}::text[])
        ORDER BY uploaded_at LIMIT 1`.pipe(
      Rows.first(KeyRow),
      Effect.map(Option.map((row) => ({ userId: row.user_id, id: row.import_id }))),
      orStoreError
    )

const ClaimedRow = Schema.Struct({ ...ImportRow.fields, attempts: Schema.Int })

export const claim =
  (sql: SqlClient): Store["claim"] =>
  (leased, now, dueAt) =>
    sql`UPDATE imports SET state = CASE WHEN state = 'undoing' THEN state ELSE 'running' END,
          started_at = coalesce(started_at, ${Rows.at(now)}), lease = ${leased.lease}, leased_until = ${Rows.at(dueAt)},
          attempts = attempts + 1
        WHERE ${isOne(sql, leased)} AND ${isDue(sql, now)}
        RETURNING ${COLUMNS}, attempts`.pipe(
      Rows.first(ClaimedRow),
      Effect.map(Option.map((row) => ({ import: toImport(row), attempt: row.attempts }))),
      orStoreError
    )

const PieceRow = Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf })

export const piece =
  (sql: SqlClient): Store["piece"] =>
  (of, position) =>
    sql`SELECT bytes FROM import_pieces WHERE ${isOne(sql, of)} AND position = ${position}`.pipe(
      Rows.first(PieceRow),
      Effect.map(Option.map(({ bytes }) => bytes)),
      orStoreError
    )

/** An SQL condition on `imports`: the attempt of `leased` still has the lease. */
const isHeld = (sql: SqlClient, leased: Leased) =>
  sql`${isOne(sql, leased)} AND state = 'running' AND lease = ${leased.lease}`

const isHeldOrUndone = (sql: SqlClient, leased: Leased) =>
  sql`${isOne(sql, leased)} AND state IN ('running', 'undoing') AND lease = ${leased.lease}`

export const renew =
  (sql: SqlClient): Store["renew"] =>
  (leased, dueAt) =>
    Rows.affected(sql`UPDATE imports SET leased_until = ${Rows.at(dueAt)} WHERE ${isHeldOrUndone(sql, leased)}`).pipe(
      Effect.map((renewed) => renewed > 0),
      orStoreError
    )

export const handBack =
  (sql: SqlClient): Store["handBack"] =>
  (leased) =>
    // `greatest` keeps `attempts` from becoming negative: a step that read entries has set `attempts` to 0 already.
    sql`UPDATE imports SET lease = NULL, leased_until = NULL, attempts = greatest(0, attempts - 1)
        WHERE ${isHeldOrUndone(sql, leased)}`.pipe(Effect.asVoid, orStoreError)

/** The error with which a step rolls back its transaction, because the attempt has lost its lease. */
class LeaseLost extends Data.TaggedError("LeaseLost")<{}> {}

export const advance =
  (sql: SqlClient): Store["advance"] =>
  (step) => {
    const { erasures, fixes, notices, places, visits } = step
    const work =
      fixes.length + visits.length + places.length + notices.length + erasures.length === 0
        ? pass(sql, step)
        : store(sql, step)
    return work.pipe(
      sql.withTransaction,
      Effect.as(true),
      Effect.catchTag("LeaseLost", () => Effect.succeed(false)),
      orStoreError
    )
  }

/** Stores the progress of a step that has no entries. */
const pass = (sql: SqlClient, step: ImportStep) =>
  Effect.filterOrFail(
    noteProgress(sql, step),
    (rows) => rows.length > 0,
    () => new LeaseLost()
  )

/**
 * Stores the entries. A step that has only fixes and visits takes two round trips: the first locks and reads, the
 * second writes and commits. The lock is a separate statement: only statements after it see fixes that other
 * transactions stored while this step waited for the lock.
 */
const store = (sql: SqlClient, step: ImportStep) =>
  Effect.gen(function* () {
    const [, leasedDevices = [], , erasures = [], known = []] = yield* together([
      // Locks the account before the devices, as the deletion of an account does. With different orders, the two
      // transactions could deadlock.
      step.notices.length > 0 ? NoticeChoices.lock(sql, step.userId) : undefined,
      noteProgress(sql, step),
      UploadStream.lock(sql, step.userId, 1),
      // A transaction that deletes a stretch of history takes the lock of `UploadStream` too, so this list of deleted
      // stretches is still right at the commit.
      Erasures.select(sql, step.userId),
      anyBetween(sql, step)
    ])
    if (leasedDevices.length === 0) return yield* new LeaseLost()
    const [device] = yield* readHeld(leasedDevices)
    if (device === undefined) return
    // Restores the deleted stretches of an archive before its fixes are stored. So fixes of the same step that lie in
    // such a stretch are left out (decision exports-10).
    const stretches = step.erasures.map((stretch) => ({ ...stretch, erasedAt: step.at, importId: step.id }))
    const restored = yield* Erasures.restore(sql, step.userId, stretches, yield* Erasures.read(erasures))
    const { erased, ...kept } = Entry.withoutErased(step, restored.all)
    const own = ImportedDevice.grouped(kept)
    const groups = [...own, ...ImportedDevice.alsoGrouped(kept)]
    const statements = groups.flatMap(({ device: part, ...entries }, index) => {
      const history = {
        ...step,
        ...entries,
        deviceId: part?.id ?? device.device_id,
        // Two devices of an archive may have the same entry. So with several groups, an earlier statement of this step
        // may have stored an entry of this group already.
        isAnyKnown: known.length > 0 || groups.length > 1,
        isAlso: index >= own.length
      }
      const stored = historyStatement(sql, history, index === 0 ? erased : 0)
      return part === undefined ? [stored] : [addPart(sql, step, device.device_id, part), stored]
    })
    if (step.places.length + step.notices.length + step.erasures.length === 0) return yield* last(statements)
    yield* Effect.all(statements, { discard: true })
    yield* storeOthers(sql, step, restored.count)
  })

/** Creates the import's device that stands for a device of the archive, unless an earlier step has created it. */
const addPart = (
  sql: SqlClient,
  { at, userId }: ImportStep,
  deviceId: DeviceId,
  { id, tokenHash }: ImportedDevice.ImportedDevice
) =>
  sql`INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at, part_of)
      SELECT user_id, ${id}, name, 'import', ${tokenHash}, ${Rows.at(at)}::timestamptz, device_id FROM devices
      WHERE user_id = ${userId} AND device_id = ${deviceId}
      ON CONFLICT DO NOTHING`

/**
 * Stores the places and the choice of notices that an archive of this service contains. Counts the places, the choice
 * and the archive's deleted stretches. `restored`: how many of these stretches are new.
 */
const storeOthers = (sql: SqlClient, step: ImportStep, restored: number) =>
  Effect.gen(function* () {
    let count = restored
    const leftOut: Array<string> = []
    for (const place of step.places) {
      const outcome = yield* insertReturned(sql, place)
      if (outcome === "stored") count++
      else if (outcome === "no room") leftOut.push(place.place.label)
    }
    if (step.notices.length > 0) count += yield* NoticeChoices.add(sql)(step.userId, step.notices)
    const duplicates = step.places.length + step.notices.length + step.erasures.length - count - leftOut.length
    yield* sql`UPDATE imports SET stored = stored + ${count}, duplicates = duplicates + ${duplicates},
                 over_limit = over_limit + ${leftOut.length},
                 left_out = (left_out || ${leftOut}::text[])[1:${Import.MOST_NAMED}::integer]
               WHERE ${isOne(sql, step)}`
  })

const HeldRow = Schema.Struct({ device_id: DeviceId })
const readHeld = Rows.read(HeldRow)

/**
 * Stores the step's progress and returns the import's device; no row when the lease was lost. A step that read entries
 * sets `attempts` back to 0.
 */
const noteProgress = (sql: SqlClient, step: ImportStep) =>
  sql`UPDATE imports SET
        format = coalesce(${step.format}, format),
        bytes_done = greatest(bytes_done, ${step.bytesDone}), entries_read = entries_read + ${step.read},
        too_recent = too_recent + ${step.tooRecent}, too_old = too_old + ${step.tooOld},
        quarantined = quarantined + ${step.quarantined},
        attempts = CASE WHEN ${step.read}::integer > 0 THEN 0 ELSE attempts END
      WHERE ${isHeld(sql, step)} RETURNING device_id`

/** Returns a row when the user has stored fixes between the first and the last fix of the step. */
const anyBetween = (sql: SqlClient, { fixes, userId }: ImportStep) => {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { capturedAt } of fixes) {
    if (capturedAt < first) first = capturedAt
    if (capturedAt > last) last = capturedAt
  }
  return fixes.length === 0
    ? undefined
    : sql`SELECT 1 FROM fixes WHERE user_id = ${userId} AND captured_at BETWEEN ${Rows.at(first)} AND ${Rows.at(last)}
          LIMIT 1`
}

/**
 * When an import has stored this number of entries or more, `finish` counts the fixes of the owner's whole history
 * (`FixCounts`).
 */
const MANY = 50_000

const MonthRow = Schema.Struct({ month: Schema.String, entries: Schema.Int })

/**
 * Counts the entries that the import stored, by month in UTC. Because of the time bounds, the server finds the fixes by
 * the index. Without the bounds it would read the whole history of the user, even for an import of ten fixes.
 */
export const monthsStatement = (
  sql: SqlClient,
  of: Leased,
  { from, until }: { readonly from: Timestamp.Timestamp; readonly until: Timestamp.Timestamp }
) => {
  const devices = sql`(SELECT device_id FROM devices WHERE user_id = ${of.userId}
                         AND (SELECT device_id FROM imports WHERE ${isOne(sql, of)}) IN (device_id, part_of))`
  const monthOf = (moment: string) => sql.literal(`to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM')`)
  return sql`SELECT month, sum(entries)::integer AS entries FROM (
        SELECT ${monthOf("captured_at")} AS month, count(*) AS entries FROM fixes
        WHERE user_id = ${of.userId} AND device_id IN ${devices}
          AND captured_at >= ${Rows.at(from)} AND captured_at < ${Rows.at(until)} GROUP BY 1
        UNION ALL
        SELECT ${monthOf("coalesce(departure, arrival)")}, count(*) FROM visit_reports
        WHERE user_id = ${of.userId} AND device_id IN ${devices} GROUP BY 1
      ) months GROUP BY month`
}

/** Adds to each month of the import the number of its stored entries. */
const withStored = (sql: SqlClient, of: Leased, months: ReadonlyArray<Months.MonthCounts>) => {
  const span = Months.spanStored(months)
  if (span === undefined) return Effect.succeed(months)
  return monthsStatement(sql, of, span).pipe(
    Rows.all(MonthRow),
    Effect.map((rows) => Months.withStored(months, new Map(rows.map(({ entries, month }) => [month, entries]))))
  )
}

const StoredRow = Schema.Struct({ stored: Schema.Int })

export const finish =
  (sql: SqlClient): Store["finish"] =>
  (leased, error, at, months = []) =>
    // The count runs outside of the transaction, and a failure is ignored. When the count fails, for example because it
    // takes too long in a large history, the import has no months. Otherwise the import would fail although all its
    // entries are stored.
    Effect.orElseSucceed(withStored(sql, leased, months), () => []).pipe(
      Effect.flatMap((counted) =>
        Effect.gen(function* () {
          const finished =
            yield* sql`UPDATE imports SET months = ${JSON.stringify(counted)}::jsonb, state = ${error === null ? "done" : "failed"}, error = ${error},
                  finished_at = ${Rows.at(at)}, lease = NULL, leased_until = NULL
                WHERE ${isHeld(sql, leased)} RETURNING stored`.pipe(Rows.first(StoredRow))
          if (Option.isSome(finished)) yield* deletePieces(sql, leased)
          return finished
        }).pipe(sql.withTransaction)
      ),
      Effect.tap((finished) =>
        Option.exists(finished, ({ stored }) => stored >= MANY)
          ? // The counts are only a cache. After an error, the first long tally makes them.
            Effect.ignore(FixCounts.prepareAll(sql, leased.userId, at))
          : Effect.void
      ),
      Effect.map(Option.isSome),
      orStoreError
    )
