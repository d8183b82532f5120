import { SqlClient } from "@effect/sql/SqlClient"
import { type Between, History, HistoryStore, type DeletionTimes } from "@place-access/domain/retention-choice"
import { type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError, sqlState } from "../Failures.js"
import * as FixCounts from "../history/FixCounts.js"
import * as HistoryBound from "../history/HistoryBound.js"
import * as Erasures from "./Erasures.js"
import * as PastRows from "./PastRows.js"

type Store = typeof HistoryStore.Service

export const layer: Layer.Layer<HistoryStore, never, SqlClient> = Layer.effect(
  HistoryStore,
  Effect.map(SqlClient, (sql) =>
    HistoryStore.of({
      choice: (userId) => orStoreError(choiceOf(sql, userId)),
      choose: choose(sql),
      survey: survey(sql),
      erasures: (userId) => orStoreError(Erasures.list(sql, userId)),
      erase: (userId, stretch, at) => orStoreError(Erasures.erase(sql, userId, { ...stretch, erasedAt: at })),
      listOverdue: listOverdue(sql),
      removePast: removePast(sql)
    })
  )
)

const ChoiceRow = Schema.Struct({ keep_days: History.Keep })

/** How many days of history the user keeps; None when the user has not chosen. */
const choiceOf = (sql: SqlClient, userId: UserId) =>
  sql`SELECT keep_days FROM history_choices WHERE user_id = ${userId}`.pipe(
    Rows.first(ChoiceRow),
    Effect.map(Option.map((row) => row.keep_days))
  )

const choose =
  (sql: SqlClient): Store["choose"] =>
  (userId, keep, at) =>
    sql`INSERT INTO history_choices (user_id, keep_days, chosen_at) VALUES (${userId}, ${keep}, ${Rows.at(at)})
        ON CONFLICT (user_id) DO UPDATE SET keep_days = excluded.keep_days, chosen_at = excluded.chosen_at`.pipe(
      Effect.asVoid,
      orStoreError
    )

const ExtentRow = Schema.Struct({ fixes: Rows.Bigint, visits: Rows.Bigint, oldest_at: Rows.NullableAt })

const survey =
  (sql: SqlClient): Store["survey"] =>
  (userId, within) =>
    Effect.gen(function* () {
      const captured = liesWithin(sql, "captured_at", within)
      const isLeft = sql`departure IS NOT NULL AND ${liesWithin(sql, "departure", within)}`
      const departed = within.until === null ? sql`(departure IS NULL OR ${isLeft})` : isLeft
      // A stay's age counts from its departure, so this expression leaves out `heard_until`, which `VisitReads` shows
      // in place of the departure.
      const stays = sql`SELECT least(d.history_ends_at, s.departure) AS departure
          FROM stays s JOIN devices d ON d.user_id = ${userId} AND d.device_id = s.device_id
          WHERE s.user_id = ${userId}`
      const rows = yield* sql`SELECT
          (SELECT count(*) FROM fixes WHERE user_id = ${userId} AND ${captured}) AS fixes,
          (SELECT count(*) FROM visit_reports WHERE user_id = ${userId} AND ${departed})
            + (SELECT count(*) FROM (${stays}) stay WHERE ${departed})
            AS visits,
          (SELECT min(captured_at) FROM fixes WHERE user_id = ${userId} AND ${captured}) AS oldest_at`.pipe(
        Rows.first(ExtentRow)
      )
      const { fixes, oldest_at: oldestAt, visits } = yield* Effect.orDie(rows)
      return { fixes, visits, oldestAt }
    }).pipe(orStoreError)

const liesWithin = (sql: SqlClient, column: string, { after, until }: Between) =>
  sql`${after === null ? sql`true` : sql`${sql.literal(column)} > ${Rows.at(after)}`}
      AND ${until === null ? sql`true` : sql`${sql.literal(column)} <= ${Rows.at(until)}`}`

/** How many users `listOverdue` checks at the same time. */
const AT_ONCE = 8

/**
 * Finds, in a page of users, the users who have rows that retention must delete. Makes one index look-up for each user
 * and table, only in the partitions that may have such old rows. On a cluster every node has all accounts, but only one
 * node has the rows of a user, so each user needs a separate statement.
 */
const listOverdue =
  (sql: SqlClient): Store["listOverdue"] =>
  (moments, limit, after) =>
    Effect.gen(function* () {
      const people = yield* listUsers(sql, limit, after)
      const overdue = yield* Effect.filter(people, ({ user_id: userId }) => mayBeOverdue(sql, userId, moments), {
        concurrency: AT_ONCE
      })
      return {
        overdue: overdue.map((row) => row.user_id),
        next: people.length < limit ? undefined : people.at(-1)?.user_id
      }
    }).pipe(orStoreError)

const PersonRow = Schema.Struct({ user_id: UserId })

const listUsers = (sql: SqlClient, limit: number, after: UserId | undefined) =>
  sql`SELECT user_id FROM accounts WHERE ${after === undefined ? sql`true` : sql`user_id > ${after}`}
      ORDER BY user_id LIMIT ${limit}`.pipe(Rows.all(PersonRow))

const OverdueRow = Schema.Struct({ overdue: Schema.Boolean })

/**
 * Whether a table has a row of the user that retention must delete, because the row is from before the bound of its
 * table, the time up to which rows are deleted.
 */
const isOverdue = (sql: SqlClient, userId: UserId, moments: DeletionTimes) =>
  Effect.gen(function* () {
    const bounds = boundsOf(sql, yield* cutoffOf(sql, userId, moments), moments)
    const found = PastRows.TABLES.map((table) => PastRows.hasPast(sql, table, userId, bounds))
    const rows = yield* reads(sql)`SELECT ${sql.join(" OR ", false)(found)} AS overdue`.pipe(Rows.all(OverdueRow))
    return rows.some((row) => row.overdue)
  })

/**
 * Whether a table has a row of the user that retention must delete. Also true when a value in a row of the user cannot
 * be read (an error of class 22) because of a bug. In this second case, `removePast` fails for this user, which the
 * sweep logs, and the rows of all other users are still deleted.
 */
const mayBeOverdue = (sql: SqlClient, userId: UserId, moments: DeletionTimes) =>
  Effect.catchIf(
    isOverdue(sql, userId, moments),
    (error) => error._tag === "ParseError" || sqlState(error)?.startsWith("22") === true,
    () => Effect.succeed(true)
  )

const cutoffOf = (sql: SqlClient, userId: UserId, { now }: DeletionTimes) =>
  Effect.map(choiceOf(sql, userId), (choice) =>
    History.cutoff(
      Option.getOrElse(choice, () => History.DEFAULT),
      now
    )
  )

const boundsOf = (
  sql: SqlClient,
  cutoff: Timestamp.Timestamp | null,
  { accessLogUntil }: DeletionTimes
): PastRows.RetentionBounds => ({
  cutoff: sql`${cutoff === null ? "-infinity" : Rows.at(cutoff)}::timestamptz`,
  log_until: sql`${Rows.at(accessLogUntil)}::timestamptz`
})

/**
 * The bounds for the statement that deletes past rows. The statement reads the choice again, because the user may have
 * chosen to keep more since `cutoff` was computed. If the user has chosen to keep less, only the next call deletes the
 * rest: the counts of fixes (`FixCounts`) were prepared for a deletion up to `cutoff`.
 */
const boundsOfMoment = (
  sql: SqlClient,
  userId: UserId,
  cutoff: Timestamp.Timestamp | null,
  moments: DeletionTimes
): PastRows.RetentionBounds => {
  const before = boundsOf(sql, cutoff, moments)
  return { ...before, cutoff: sql`least(${before.cutoff}, ${HistoryBound.cutoff(sql, userId, moments.now)})` }
}

const removePast =
  (sql: SqlClient): Store["removePast"] =>
  (userId, moments, limit) =>
    Effect.flatMap(cutoffOf(sql, userId, moments), (cutoff) =>
      Effect.reduce(PastRows.TABLES, 0, (sum, table) => {
        const bounds = boundsOfMoment(sql, userId, cutoff, moments)
        const removed = PastRows.removePast(sql, table, userId, bounds, limit)
        const isCounted = table.name === "fixes" && cutoff !== null
        return Effect.map(
          isCounted
            ? FixCounts.forget(sql, userId, cutoff).pipe(Effect.zipRight(removed), sql.withTransaction)
            : removed,
          (count) => sum + count
        )
      })
    ).pipe(orStoreError)
