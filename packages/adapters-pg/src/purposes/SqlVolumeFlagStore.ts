import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Purpose, type VolumeFlag, VolumeFlagStore } from "@place-access/domain/purposes"
import { AppId, ConnectionId, Page, PurposeId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"

const FlagRow = Schema.Struct({
  user_id: UserId,
  connection_id: ConnectionId,
  app_id: AppId,
  purpose_id: PurposeId,
  purpose: Purpose.PurposeKey,
  calls: Schema.Int,
  expected_daily_volume: Schema.Int,
  counted_from: Rows.At,
  counted_to: Rows.At
})

const toFlag = (row: typeof FlagRow.Type): VolumeFlag.VolumeFlag => ({
  userId: row.user_id,
  connectionId: row.connection_id,
  appId: row.app_id,
  purposeId: row.purpose_id,
  purposeKey: row.purpose,
  calls: row.calls,
  expectedDailyVolume: row.expected_daily_volume,
  from: row.counted_from,
  to: row.counted_to
})

const COLUMNS = Rows.columns(FlagRow)

type Store = typeof VolumeFlagStore.Service

export const layer: Layer.Layer<VolumeFlagStore, never, SqlClient> = Layer.effect(
  VolumeFlagStore,
  Effect.map(SqlClient, (sql) =>
    VolumeFlagStore.of({
      raise: raise(sql),
      list: (limit, after) => list(sql, sql`true`, limit, after),
      listOfUser: (userId, limit, after) => list(sql, sql`user_id = ${userId}`, limit, after)
    })
  )
)

const raise =
  (sql: SqlClient): Store["raise"] =>
  (request) =>
    Effect.gen(function* () {
      if (!(yield* lock(sql))) return 0
      // `insertFlags` reads the access log of all users. This job runs once an hour, and its statement may take long.
      yield* sql`SET LOCAL statement_timeout = '5min'`
      return yield* Rows.affected(insertFlags(sql, request))
    }).pipe(sql.withTransaction, orStoreError)

/** The key of the advisory lock. The number is arbitrary; no other program may use the same number in this database. */
const ADVISORY_LOCK = 7_203_114_859

/**
 * Takes the lock; returns false when another process is counting. Without the lock, two processes that count at nearly
 * the same time would not see each other's flags, and would both store a flag for the same calls.
 */
const lock = (sql: SqlClient) =>
  sql`SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS mine`.pipe(
    Rows.first(Schema.Struct({ mine: Schema.Boolean })),
    Effect.map(Option.exists(({ mine }) => mine))
  )

const insertFlags = (sql: SqlClient, { factor, from, to }: Parameters<Store["raise"]>[0]) =>
  sql`INSERT INTO volume_flags (${COLUMNS})
      SELECT used.user_id, used.connection_id, used.app_id, p.purpose_id, used.purpose, used.calls,
             p.expected, ${Rows.at(from)}, ${Rows.at(to)}
      FROM (
        SELECT user_id, connection_id, app_id, purpose, count(*)::integer AS calls FROM access_log
        WHERE at >= ${Rows.at(from)} AND at < ${Rows.at(to)} AND purpose IS NOT NULL AND error IS NULL
        GROUP BY user_id, connection_id, app_id, purpose
        -- every purpose expects at least one call
        HAVING count(*) > ${factor}
      ) AS used
      JOIN (
        SELECT app_id, purpose_id, key,
               (coalesce(approved_terms, terms)->>'expectedDailyVolume')::integer AS expected
        FROM purposes
      ) AS p ON p.app_id = used.app_id AND p.key = used.purpose
      WHERE used.calls > ${factor} * p.expected
        AND NOT EXISTS (SELECT 1 FROM accounts t WHERE t.user_id = used.user_id AND t.test_app_id IS NOT NULL)
        AND NOT EXISTS (
        SELECT 1 FROM volume_flags known
        WHERE known.user_id = used.user_id AND known.connection_id = used.connection_id
          AND known.purpose = used.purpose AND known.counted_to > ${Rows.at(from)}
      )`

/** The cursor of a page: time, connection and purpose of its last flag. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String, Schema.String)

const list = (sql: SqlClient, only: Fragment, limit: number, after: Page.PagePosition | undefined) =>
  Effect.gen(function* () {
    const from = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
    const rest =
      from === undefined
        ? sql`true`
        : sql`(counted_to, connection_id, purpose) < (${Rows.at(from[0])}, ${from[1]}, ${from[2]})`
    const rows = yield* sql`SELECT ${COLUMNS} FROM volume_flags WHERE ${only} AND ${rest}
                            ORDER BY counted_to DESC, connection_id DESC, purpose DESC
                            LIMIT ${limit + 1}`.pipe(Rows.all(FlagRow))
    return Page.of(rows.map(toFlag), limit, (last) => [last.to, last.connectionId, last.purposeKey])
  }).pipe(orStoreError)
