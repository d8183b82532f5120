import { SqlClient } from "@effect/sql/SqlClient"
import { type Between, History, HistoryStore, type Moments } from "@place-access/domain/history"
import { UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import * as HistoryBound from "./HistoryBound.js"
import * as Rows from "./Rows.js"

const ChoiceRow = Schema.Struct({ keep_days: History.Keep })

const ExtentRow = Schema.Struct({ fixes: Rows.Bigint, visits: Rows.Bigint, oldest_at: Rows.NullableAt })

const PersonRow = Schema.Struct({ user_id: UserId, overdue: Schema.Boolean })

interface Table {
  readonly name: string
  readonly key: string
  /** What makes a row old. */
  readonly moment: string
  /** Past the user's choice, or the limit of the access log. */
  readonly until: "cutoff" | "log_until"
  /** What else must be so, of a row of `t`. */
  readonly only?: string
  /** The column that is cleared; left out: the row is deleted. */
  readonly clears?: string
}

/** The phone has said nothing since, or the file had nothing from after. */
const IS_SILENT = `coalesce((SELECT coalesce(d.history_ends_at, d.last_seen_at) FROM devices d WHERE d.user_id = t.user_id AND d.device_id = t.device_id),
    '-infinity') <= p.cutoff`

/** Each but `devices` has an index on person and moment; of devices a person has a few, and each is looked at. */
const TABLES: ReadonlyArray<Table> = [
  { name: "fixes", key: "user_id, captured_at, device_id, lat, lon", moment: "t.captured_at", until: "cutoff" },
  { name: "quarantined_fixes", key: "user_id, device_id, reading_key", moment: "t.received_at", until: "cutoff" },
  {
    name: "visit_reports",
    key: "user_id, device_id, report_key",
    moment: "coalesce(t.departure, t.arrival)",
    until: "cutoff",
    // An arrival alone is as old as what its phone said next: when it left, at the latest.
    only: `(t.departure IS NOT NULL OR ${IS_SILENT} OR EXISTS (
             SELECT 1 FROM visit_reports l
             WHERE l.user_id = t.user_id AND l.device_id = t.device_id AND coalesce(l.departure, l.arrival) > t.arrival
               AND coalesce(l.departure, l.arrival) <= p.cutoff))`
  },
  {
    name: "stays",
    key: "user_id, place_id, device_id, arrival",
    moment: "coalesce(t.departure, t.arrival)",
    until: "cutoff",
    only: `(t.departure IS NOT NULL OR ${IS_SILENT})`
  },
  {
    name: "devices",
    key: "user_id, device_id",
    moment: "to_timestamp((t.movement ->> 'heard_at')::bigint / 1000.0)",
    until: "cutoff",
    clears: "movement"
  },
  { name: "access_log", key: "user_id, at, entry_id", moment: "t.at", until: "log_until" }
]

export const layer: Layer.Layer<HistoryStore, never, SqlClient> = Layer.effect(
  HistoryStore,
  Effect.map(SqlClient, (sql) => {
    const lies = (column: string, { after, until }: Between) =>
      sql`${after === null ? sql`true` : sql`${sql.literal(column)} > ${Rows.at(after)}`}
          AND ${until === null ? sql`true` : sql`${sql.literal(column)} <= ${Rows.at(until)}`}`

    /** Of the table `t` and the people `p`, who have a `cutoff` and a `log_until`. */
    const past = ({ moment, only = "true", until }: Table) => sql.literal(`${moment} <= p.${until} AND ${only}`)

    const clock = ({ accessLogUntil, now }: Moments) =>
      sql`SELECT ${Rows.at(now)}::timestamptz AS now, ${Rows.at(accessLogUntil)}::timestamptz AS log_until`

    const removeFrom = (table: Table, userId: UserId, moments: Moments, limit: number) => {
      const [name, key] = [sql(table.name), sql.literal(table.key)]
      return Rows.affected(
        // A CTE, which is evaluated once: a sub-query may be asked again for each row, and then its limit is none.
        sql`WITH p AS MATERIALIZED (
              SELECT clock.log_until, ${sql.literal(HistoryBound.CUTOFF)} AS cutoff
              FROM (${clock(moments)}) clock LEFT JOIN history_choices h ON h.user_id = ${userId}
            ), old AS MATERIALIZED (
              SELECT ${sql.literal(table.key.replaceAll(/\w+/g, "t.$&"))} FROM ${name} t, p
              WHERE t.user_id = ${userId} AND ${past(table)}
              ORDER BY ${sql.literal(table.moment)} LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED
            )
            ${table.clears === undefined ? sql`DELETE FROM ${name}` : sql`UPDATE ${name} SET ${sql(table.clears)} = NULL`}
            WHERE user_id = ${userId} AND (${key}) IN (SELECT ${key} FROM old)`
      )
    }

    return HistoryStore.of({
      choice: (userId) =>
        sql`SELECT keep_days FROM history_choices WHERE user_id = ${userId}`.pipe(
          Rows.first(ChoiceRow),
          Effect.map(Option.map((row) => row.keep_days)),
          orStoreError
        ),

      choose: (userId, keep, at) =>
        sql`INSERT INTO history_choices (user_id, keep_days, chosen_at) VALUES (${userId}, ${keep}, ${Rows.at(at)})
            ON CONFLICT (user_id) DO UPDATE SET keep_days = excluded.keep_days, chosen_at = excluded.chosen_at`.pipe(
          Effect.asVoid,
          orStoreError
        ),

      survey: (userId, within) =>
        Effect.gen(function* () {
          const rows = yield* sql`SELECT
              (SELECT count(*) FROM fixes WHERE user_id = ${userId} AND ${lies("captured_at", within)}) AS fixes,
              (SELECT count(*) FROM visit_reports WHERE user_id = ${userId} AND ${lies("departure", within)}
                 AND departure IS NOT NULL)
                + (SELECT count(*) FROM stays WHERE user_id = ${userId} AND ${lies("departure", within)}
                 AND departure IS NOT NULL) AS visits,
              (SELECT min(captured_at) FROM fixes WHERE user_id = ${userId} AND ${lies("captured_at", within)}) AS oldest_at`.pipe(
            Rows.first(ExtentRow)
          )
          const { fixes, oldest_at: oldestAt, visits } = yield* Effect.orDie(rows)
          return { fixes, visits, oldestAt }
        }).pipe(orStoreError),

      // One probe of an index for each person and table, of partitions those that may hold something so old.
      listOverdue: (moments, limit, after) =>
        sql`WITH p AS MATERIALIZED (
              SELECT a.user_id, clock.log_until, ${sql.literal(HistoryBound.CUTOFF)} AS cutoff
              FROM (SELECT user_id FROM accounts WHERE ${after === undefined ? sql`true` : sql`user_id > ${after}`}
                    ORDER BY user_id LIMIT ${limit}) a
              CROSS JOIN (${clock(moments)}) clock LEFT JOIN history_choices h ON h.user_id = a.user_id
            )
            SELECT p.user_id, ${sql.join(
              " OR ",
              false
            )(
              TABLES.map(
                (table) =>
                  sql`EXISTS (SELECT 1 FROM ${sql(table.name)} t WHERE t.user_id = p.user_id AND ${past(table)})`
              )
            )} AS overdue
            FROM p ORDER BY p.user_id`.pipe(
          Rows.all(PersonRow),
          Effect.map((rows) => ({
            overdue: rows.flatMap((row) => (row.overdue ? [row.user_id] : [])),
            next: rows.length < limit ? undefined : rows.at(-1)?.user_id
          })),
          orStoreError
        ),

      removePast: (userId, moments, limit) =>
        Effect.reduce(TABLES, 0, (removed, table) =>
          Effect.map(removeFrom(table, userId, moments, limit), (count) => removed + count)
        ).pipe(orStoreError)
    })
  })
)
