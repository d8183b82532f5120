import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Fix } from "@place-access/domain/fixes"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Option, type ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { turn } from "../driver/turn.js"
import * as HistoryBound from "./HistoryBound.js"

/**
 * The number of a user's fixes in each half an hour (`fix_counts`), from which `FixHistory.tally` counts the days of a
 * year without reading a million fixes. Decision fixes-7.
 *
 * The counts are a cache that the database keeps with the fixes. A count is valid while two things are true:
 *
 * - `upload_streams.counted_version` is the user's `version`. Every statement of ours that raises the version carries
 *   `counted_version` along, in the transaction that changes fixes and counts. A program without counts, such as a
 *   release from before migration 0066 during an upgrade, raises only the version, and from then on the counts are not
 *   read.
 * - The half an hour does not begin before `counted_from`. Fixes before that time are not counted yet, or retention has
 *   deleted some.
 *
 * Fixes outside of valid counts are counted from `fixes`, so a tally is always right. The counts of a user are made in
 * steps, at the end of a large import or by the user's first long tally. Before that, uploads of this user write no
 * counts: an upload adds to counts only when they are valid.
 */

/**
 * Half an hour. Almost all time zones differ from UTC by a multiple of this width, so that a day in these time zones
 * consists of whole rows of `fix_counts`.
 */
export const WIDTH = 30 * Timestamp.MINUTE

const floor = (at: number): number => Math.floor(at / WIDTH) * WIDTH
const ceil = (at: number): number => Math.ceil(at / WIDTH) * WIDTH

/**
 * SQL: the end of the half an hour that contains an instant. The origin is year 1, because `date_bin` of PostgreSQL 15
 * is wrong for times before its origin.
 */
const endOf = (instant: string): string =>
  `(date_bin('30 minutes', ${instant}, '0001-01-01T00:00:00Z'::timestamptz) + interval '30 minutes')`

/**
 * A part of the SET list in the UPDATE that raises the version of the row `stream` to `version`. If an earlier
 * statement raised the version without this part, `counted_version` becomes null, and so the counts become invalid.
 */
export const carried = (sql: SqlClient, version: Fragment) =>
  sql`counted_version = CASE WHEN stream.counted_version = stream.version THEN ${version} END`

/**
 * An SQL condition on the row `stream`: whether the user's stored counts of fixes are valid, so that new fixes must be
 * added to the counts.
 */
export const HOLDS = "coalesce(stream.counted_version = stream.version, false)"

const SUM = `ON CONFLICT (user_id, ends_at) DO UPDATE SET fixes = known.fixes + excluded.fixes,
        first_at = least(known.first_at, excluded.first_at), last_at = greatest(known.last_at, excluded.last_at)`

/** Adds to the counts the fixes that the CTE `new_fixes (captured_at)` has stored, if `condition` holds. */
export const added = (sql: SqlClient, userId: UserId, condition: Fragment) =>
  sql`INSERT INTO fix_counts AS known (user_id, ends_at, fixes, first_at, last_at)
      SELECT ${userId}, ${sql.literal(endOf("captured_at"))}, count(*), min(captured_at), max(captured_at)
      FROM new_fixes WHERE ${condition} GROUP BY 2
      ${sql.literal(SUM)}`

/**
 * The rows that a cluster inserts into `fix_counts AS known`, where a single server uses `added`. `addedOnConflict` is
 * the ON CONFLICT part of that INSERT.
 */
export const rowsOf = (userId: UserId, fixes: ReadonlyArray<{ readonly capturedAt: Timestamp.Timestamp }>) => {
  const rows = new Map<number, { fixes: number; first: number; last: number }>()
  for (const { capturedAt } of fixes) {
    const end = floor(capturedAt) + WIDTH
    const row = rows.get(end)
    if (row === undefined) rows.set(end, { fixes: 1, first: capturedAt, last: capturedAt })
    else {
      row.fixes++
      row.first = Math.min(row.first, capturedAt)
      row.last = Math.max(row.last, capturedAt)
    }
  }
  return [...rows].map(([end, { first, fixes, last }]) => ({
    user_id: userId,
    ends_at: Rows.at(end),
    fixes,
    first_at: Rows.at(first),
    last_at: Rows.at(last)
  }))
}

export const addedOnConflict = (sql: SqlClient) => sql.literal(SUM)

/**
 * Replaces the user's stored counts of the half hours that end after `from`, and at `until` at the latest. Both
 * parameters are SQL: a multiple of `WIDTH`, or an infinite time.
 */
const count = (sql: SqlClient, userId: UserId, from: Fragment, until: Fragment) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM fix_counts WHERE user_id = ${userId} AND ends_at > ${from} AND ends_at <= ${until}`
    yield* sql`INSERT INTO fix_counts (user_id, ends_at, fixes, first_at, last_at)
      SELECT user_id, ${sql.literal(endOf("captured_at"))}, count(*), min(captured_at), max(captured_at)
      FROM fixes WHERE user_id = ${userId} AND captured_at >= ${from} AND captured_at < ${until} GROUP BY 1, 2
      ORDER BY 2`
  })

/**
 * Makes the stored counts of a stretch of history again, after fixes in the stretch were deleted. The caller has locked
 * the user's row of `upload_streams`.
 */
export const recount = (
  sql: SqlClient,
  userId: UserId,
  { from, until }: { readonly from: Timestamp.Timestamp; readonly until: Timestamp.Timestamp }
) => count(sql, userId, sql`${Rows.at(floor(from))}::timestamptz`, sql`${Rows.at(ceil(until))}::timestamptz`)

/**
 * Runs in the transaction of a retention job, before the job deletes fixes up to `cutoff`. It makes the counts begin
 * after the half an hour that contains the cutoff. The update locks the user's row, so that nobody counts the fixes
 * that are about to be deleted.
 */
export const forget = (sql: SqlClient, userId: UserId, cutoff: Timestamp.Timestamp) => {
  const end = sql`${Rows.at(floor(cutoff) + WIDTH)}::timestamptz`
  return Effect.zipRight(
    sql`UPDATE upload_streams SET counted_from = CASE WHEN counted_from < ${end} THEN ${end} ELSE counted_from END
        WHERE user_id = ${userId}`,
    sql`DELETE FROM fix_counts WHERE user_id = ${userId} AND ends_at <= ${end}`
  )
}

/**
 * A tally of a stretch of this length or less makes no counts first: making the counts of the whole history would take
 * longer than counting the stretch in `fixes`.
 */
const LONG = 31 * Timestamp.DAY
/**
 * About how many fixes one step counts. During a step the user's row is locked for about 0.2 s, and uploads of the
 * user's phones wait for that lock.
 */
const FIXES_OF_STEP = 100_000
/**
 * The most steps that one tally makes. When the history is longer, the tally counts the rest of the days from `fixes`,
 * and the next tally makes further steps.
 */
const MOST_STEPS = 12

const StandingRow = Schema.Struct({ is_covered: Schema.Boolean })
const StepRow = Schema.Struct({ until: Schema.String, begins_at: Schema.String })

/**
 * Call this function before a tally of a stretch that is longer than `LONG`. It makes the missing counts, those of the
 * newest history first, until the counts reach back to `from`, in at most `MOST_STEPS` steps. The caller ignores errors
 * of this function: the tally then counts the rows of `fixes`, and the next tally makes the counts that are still
 * missing.
 */
export const prepare = (
  sql: SqlClient,
  userId: UserId,
  now: Timestamp.Timestamp,
  from: Timestamp.Timestamp,
  until: Timestamp.Timestamp,
  fixesOfStep = FIXES_OF_STEP
): Effect.Effect<void, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    if (until - from <= LONG) return
    for (let step = 0; step < MOST_STEPS; step++) {
      if (yield* isCovered(sql, userId, now, from)) return
      yield* countStep(sql, userId, now, fixesOfStep).pipe(sql.withTransaction)
    }
  })

/**
 * About how many fixes one step counts in the background. The steps are short because the embedded database answers no
 * other request during a step.
 */
const FIXES_OF_SHORT_STEP = 10_000
/**
 * The most steps of one count in the background, enough for five million fixes. A release from before migration 0066
 * makes the counts invalid again at each upload; without this limit, it could keep this program counting forever.
 */
const MOST_SHORT_STEPS = 500

/**
 * Makes the stored counts of fixes for a user's whole history, unless valid counts exist. Runs after a large import, so
 * that the owner's first tally of a year need not wait for the counts.
 */
export const prepareAll = (
  sql: SqlClient,
  userId: UserId,
  now: Timestamp.Timestamp,
  fixesOfStep = FIXES_OF_SHORT_STEP
): Effect.Effect<void, SqlError | ParseResult.ParseError> =>
  Effect.gen(function* () {
    for (let step = 0; step < MOST_SHORT_STEPS; step++) {
      if (yield* isCovered(sql, userId, now, Fix.EARLIEST as Timestamp.Timestamp)) return
      yield* countStep(sql, userId, now, fixesOfStep).pipe(sql.withTransaction)
      yield* turn
    }
  })

/**
 * Whether the user's stored counts of fixes are valid for all kept fixes from `from` on; true for a user without
 * uploads.
 */
const isCovered = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp, from: Timestamp.Timestamp) =>
  sql`SELECT coalesce(stream.counted_version = stream.version AND stream.counted_from
        <= greatest(${Rows.at(ceil(from))}::timestamptz, ${keptFrom(sql, userId, now)}), false) AS is_covered
      FROM upload_streams stream WHERE stream.user_id = ${userId}`.pipe(
    Rows.first(StandingRow),
    Effect.map(Option.match({ onNone: () => true, onSome: (row) => row.is_covered }))
  )

/**
 * SQL: the end of the half an hour that contains the cutoff, the time up to which history is deleted. All fixes after
 * this end are kept.
 */
const keptFrom = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp) =>
  sql`(SELECT ${sql.literal(endOf("bound.cutoff"))}
       FROM (SELECT ${HistoryBound.cutoff(sql, userId, now)} AS cutoff) bound)`

/**
 * Makes one step: counts about `fixesOfStep` of the newest fixes that are not counted yet. The two times that bound the
 * step stay text, as the database returns them, because they can be infinite.
 */
const countStep = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp, fixesOfStep: number) =>
  Effect.gen(function* () {
    const locked = yield* sql`SELECT 1 FROM upload_streams WHERE user_id = ${userId} FOR UPDATE`
    if (locked.length === 0) return
    const step = yield* sql`
      SELECT done.until::text, coalesce((
        SELECT ${sql.literal(endOf("captured_at"))} - interval '30 minutes' FROM fixes
        WHERE user_id = ${userId} AND captured_at < done.until
          AND captured_at > ${HistoryBound.cutoff(sql, userId, now)}
        ORDER BY captured_at DESC OFFSET ${fixesOfStep} LIMIT 1), ${keptFrom(sql, userId, now)})::text AS begins_at
      FROM (SELECT CASE WHEN ${sql.literal(HOLDS)} THEN stream.counted_from ELSE 'infinity' END AS until
            FROM upload_streams stream WHERE stream.user_id = ${userId}) done`.pipe(Rows.first(StepRow))
    if (Option.isNone(step)) return
    const { begins_at, until } = step.value
    yield* count(sql, userId, sql`${begins_at}::timestamptz`, sql`${until}::timestamptz`)
    yield* sql`UPDATE upload_streams SET counted_version = version, counted_from = ${begins_at}::timestamptz
               WHERE user_id = ${userId}`
  })

/**
 * Counts the fixes between each edge and the next. For whole half hours, the statement adds the stored counts that are
 * valid (`HOLDS`); at both ends of a day, and where no count is valid, it counts the rows of `fixes`.
 */
export const tallyStatement = (
  sql: SqlClient,
  userId: UserId,
  now: Timestamp.Timestamp,
  edges: ReadonlyArray<Timestamp.Timestamp>
) => {
  const days = edges.slice(0, -1)
  const fixes = (from: string, until: string) =>
    sql`SELECT count(*) AS fixes, min(captured_at) AS first_at, max(captured_at) AS last_at FROM fixes
        WHERE user_id = ${userId} AND captured_at > (SELECT cutoff FROM standing)
          AND captured_at >= ${sql.literal(from)} AND captured_at < ${sql.literal(until)}
          AND ${sql.literal(from)} < ${sql.literal(until)}`
  return sql`
    WITH standing AS MATERIALIZED (
      SELECT bound.cutoff, greatest(${sql.literal(endOf("bound.cutoff"))}, coalesce((
        SELECT stream.counted_from FROM upload_streams stream
        WHERE stream.user_id = ${userId} AND ${sql.literal(HOLDS)}), 'infinity')) AS counted_from
      FROM (SELECT ${HistoryBound.cutoff(sql, userId, now)} AS cutoff) bound
    ), days AS MATERIALIZED (
      SELECT day.edge, day.begins_at, day.ends_at,
             least(greatest(day.whole_from, standing.counted_from), day.ends_at) AS whole_from,
             greatest(
               day.whole_until, least(greatest(day.whole_from, standing.counted_from), day.ends_at)) AS whole_until
      FROM standing, unnest(
        ${days.map((_, edge) => edge)}::integer[],
        ${days.map(Rows.at)}::timestamptz[],
        ${days.map((at) => Rows.at(ceil(at)))}::timestamptz[],
        ${edges.slice(1).map((at) => Rows.at(floor(at)))}::timestamptz[],
        ${edges.slice(1).map(Rows.at)}::timestamptz[]
      ) AS day (edge, begins_at, whole_from, whole_until, ends_at)
      -- The planner cannot estimate this comparison and expects few days. Otherwise the statement looks so expensive
      -- that PostgreSQL compiles it first (JIT), which takes longer than to run it.
      WHERE edge = edge + 0
    )
    SELECT day.edge, whole.fixes, whole.first_at, whole.last_at
    FROM days day CROSS JOIN LATERAL (
      SELECT sum(part.fixes)::bigint AS fixes, min(part.first_at) AS first_at, max(part.last_at) AS last_at FROM (
        SELECT fixes::bigint, first_at, last_at FROM fix_counts
        WHERE user_id = ${userId} AND ends_at > day.whole_from AND ends_at <= day.whole_until
        UNION ALL (${fixes("day.begins_at", "day.whole_from")})
        UNION ALL (${fixes("day.whole_until", "day.ends_at")})
      ) part
    ) whole
    WHERE whole.fixes > 0 ORDER BY day.edge`
}
