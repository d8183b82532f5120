import { SqlClient } from "@effect/sql/SqlClient"
import { type AccessLogEntry, type AccessLogKey as Key, AccessLogStore } from "@place-access/domain/access-log"
import { AccessLogEntryId, AppId, ConnectionId, Page, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Batches from "./Batches.js"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const EntryRow = Schema.Struct({
  user_id: UserId,
  entry_id: AccessLogEntryId,
  at: Rows.At,
  app_id: AppId,
  connection_id: ConnectionId,
  endpoint: Schema.String,
  purpose: Schema.NullOr(Schema.String),
  status: Schema.Int,
  error: Schema.NullOr(Schema.String),
  disclosed: Schema.NullOr(Schema.String)
})

const UsesRow = Schema.Struct({ purpose: Schema.NullOr(Schema.String), count: Rows.Bigint })

const LastRow = Schema.Struct({ connection_id: ConnectionId, at: Rows.At })

const toEntry = (row: typeof EntryRow.Type): AccessLogEntry.AccessLogEntry => ({
  userId: row.user_id,
  id: row.entry_id,
  at: row.at,
  appId: row.app_id,
  connectionId: row.connection_id,
  endpoint: row.endpoint,
  purpose: row.purpose,
  status: row.status,
  error: row.error,
  disclosed: row.disclosed
})

/** Where a page goes on: time and id of its last entry. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)

/** Every request writes an entry and waits for its commit, so entries of requests in flight share an insert (`Batches`). */
export const layer: Layer.Layer<AccessLogStore, never, SqlClient> = Layer.scoped(
  AccessLogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(Object.keys(EntryRow.fields).join(", "))

    const insert = (entries: ReadonlyArray<AccessLogEntry.AccessLogEntry>) =>
      sql`INSERT INTO access_log (${columns})
          SELECT * FROM unnest(
            ${entries.map((entry) => entry.userId)}::text[],
            ${entries.map((entry) => entry.id)}::text[],
            ${entries.map((entry) => Rows.at(entry.at))}::timestamptz[],
            ${entries.map((entry) => entry.appId)}::text[],
            ${entries.map((entry) => entry.connectionId)}::text[],
            ${entries.map((entry) => entry.endpoint)}::text[],
            ${entries.map((entry) => entry.purpose)}::text[],
            ${entries.map((entry) => entry.status)}::integer[],
            ${entries.map((entry) => entry.error)}::text[],
            ${entries.map((entry) => entry.disclosed)}::text[])
          ON CONFLICT (user_id, at, entry_id) DO NOTHING`.pipe(Effect.as(entries), orStoreError)

    const write = yield* Batches.make(insert)

    /** Rare beside `insert`, whose plan need not know of it. Each key is looked up by itself: never a scan of the user's entries. */
    const insertUnless = (entry: AccessLogEntry.AccessLogEntry, keys: ReadonlyArray<Key>) =>
      sql`INSERT INTO access_log (${columns})
          SELECT ${entry.userId}::text, ${entry.id}::text, ${Rows.at(entry.at)}::timestamptz, ${entry.appId}::text,
                 ${entry.connectionId}::text, ${entry.endpoint}::text, ${entry.purpose}::text, ${entry.status}::integer,
                 ${entry.error}::text, ${entry.disclosed}::text
          WHERE ${sql.and([
            sql`true`,
            ...keys.map(
              ({ at, id }) => sql`NOT EXISTS (
                SELECT FROM access_log WHERE user_id = ${entry.userId} AND at = ${Rows.at(at)} AND entry_id = ${id})`
            )
          ])}
          ON CONFLICT (user_id, at, entry_id) DO NOTHING`.pipe(Effect.asVoid, orStoreError)

    return AccessLogStore.of({
      record: (entry) => Effect.asVoid(write(entry)),
      recordUnless: insertUnless,

      list: (userId, { appId, from, purpose, to }, limit, after) =>
        Effect.gen(function* () {
          const position = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
          const only = [
            sql`user_id = ${userId}`,
            ...(appId === undefined ? [] : [sql`app_id = ${appId}`]),
            ...(purpose === undefined ? [] : [sql`purpose = ${purpose}`]),
            ...(from === undefined ? [] : [sql`at >= ${Rows.at(from)}`]),
            ...(to === undefined ? [] : [sql`at < ${Rows.at(to)}`]),
            ...(position === undefined ? [] : [sql`(at, entry_id) < (${Rows.at(position[0])}, ${position[1]})`])
          ]
          const rows = yield* sql`SELECT ${columns} FROM access_log WHERE ${sql.and(only)}
                                  ORDER BY at DESC, entry_id DESC LIMIT ${limit + 1}`.pipe(Rows.all(EntryRow))
          return Page.of(rows.map(toEntry), limit, (last) => [last.at, last.id])
        }).pipe(orStoreError),

      countUses: (userId, appId, from) =>
        sql`SELECT purpose, count(*) AS count FROM access_log
            WHERE user_id = ${userId} AND app_id = ${appId} AND at >= ${Rows.at(from)} AND error IS NULL
            GROUP BY purpose ORDER BY count(*) DESC, coalesce(purpose, '') COLLATE "C"`.pipe(
          Rows.all(UsesRow),
          orStoreError
        ),

      lastAnswered: (userId, asked) =>
        asked.length === 0
          ? Effect.succeed(new Map())
          : sql`SELECT asked.connection_id, last.at
                FROM unnest(
                  ${asked.map((one) => one.connectionId)}::text[],
                  ${asked.map((one) => one.appId)}::text[],
                  ${asked.map((one) => Rows.nullableAt(one.until))}::timestamptz[]) AS asked (connection_id, app_id, until)
                CROSS JOIN LATERAL (
                  SELECT at FROM access_log
                  WHERE user_id = ${userId} AND app_id = asked.app_id AND connection_id = asked.connection_id
                    AND error IS NULL AND at <= coalesce(asked.until, 'infinity')
                  ORDER BY at DESC LIMIT 1
                ) AS last`.pipe(
              Rows.all(LastRow),
              Effect.map((rows) => new Map(rows.map((row) => [row.connection_id, row.at]))),
              orStoreError
            )
    })
  })
)
