import { SqlClient } from "@effect/sql/SqlClient"
import { type AccessLogEntry, AccessLogStore } from "@place-access/domain/access-log"
import { AccessLogEntryId, AppId, ConnectionId, Page, StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import { Chunk, Deferred, Effect, Layer, Queue, Schema } from "effect"
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

interface Waiting {
  readonly entry: AccessLogEntry.AccessLogEntry
  readonly committed: Deferred.Deferred<void, StoreError>
}

/** More requests than this are hardly in flight at once. */
const BATCH_MAX = 500

/** Where a page goes on: time and id of its last entry. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)

/**
 * Every request writes an entry and waits for its commit, so entries that arrive while one insert is under way go together in
 * the next: a commit is paid for once by all of them. One that the database refuses for what is in it fails alone.
 */
export const layer: Layer.Layer<AccessLogStore, never, SqlClient> = Layer.scoped(
  AccessLogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(Object.keys(EntryRow.fields).join(", "))

    const insert = (entries: ReadonlyArray<AccessLogEntry.AccessLogEntry>): Effect.Effect<void, StoreError> =>
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
          ON CONFLICT (user_id, at, entry_id) DO NOTHING`.pipe(Effect.asVoid, orStoreError)

    const write = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> =>
      Effect.matchCauseEffect(insert(batch.map(({ entry }) => entry)), {
        onSuccess: () =>
          Effect.forEach(batch, ({ committed }) => Deferred.succeed(committed, undefined), { discard: true }),
        onFailure: (cause) =>
          batch.length > 1 && cause._tag === "Fail" && !cause.error.transient
            ? Effect.forEach(batch, (one) => write([one]), { discard: true })
            : Effect.forEach(batch, ({ committed }) => Deferred.failCause(committed, cause), { discard: true })
      })

    const queue = yield* Effect.acquireRelease(Queue.unbounded<Waiting>(), (queue) =>
      Effect.gen(function* () {
        const left = yield* Queue.takeAll(queue)
        const closed = StoreError.unavailable("the store was closed")
        yield* Effect.forEach(left, ({ committed }) => Deferred.fail(committed, closed), { discard: true })
        yield* Queue.shutdown(queue)
      })
    )
    yield* Queue.takeBetween(queue, 1, BATCH_MAX).pipe(
      Effect.flatMap((batch) => Effect.uninterruptible(write(Chunk.toReadonlyArray(batch)))),
      Effect.forever,
      Effect.forkScoped
    )

    return AccessLogStore.of({
      record: (entry) =>
        Effect.gen(function* () {
          const committed = yield* Deferred.make<void, StoreError>()
          yield* Queue.offer(queue, { entry, committed })
          yield* Deferred.await(committed)
        }),

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
