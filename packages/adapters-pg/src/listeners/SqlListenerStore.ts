import { SqlClient } from "@effect/sql/SqlClient"
import { Listener, ListenerStore } from "@place-access/domain/listeners"
import type { AppId, ListenerId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as ListenerEvents from "./ListenerEvents.js"
import { COLUMNS, ListenerRow, toListener, toWaiting, WAITING_COLUMNS, WaitingRow } from "./ListenerRow.js"

type Store = typeof ListenerStore.Service

export const layer: Layer.Layer<ListenerStore, never, SqlClient> = Layer.effect(
  ListenerStore,
  Effect.map(SqlClient, (sql) =>
    ListenerStore.of({
      open: open(sql),
      live: live(sql),
      renew: renew(sql),
      offer: offer(sql),
      waiting: waiting(sql),
      take: (appId, id, events, dropped) =>
        ListenerEvents.take(sql, { appId, id }, events, dropped).pipe(sql.withTransaction, orStoreError),
      close: (appId, id) => ListenerEvents.close(sql, { appId, id }).pipe(sql.withTransaction, orStoreError),
      expired: expired(sql)
    })
  )
)

const Count = Schema.Struct({ count: Rows.Bigint })

const open =
  (sql: SqlClient): Store["open"] =>
  (listener) =>
    Effect.gen(function* () {
      // Because of the lock of the app's row, two calls of `open` run one after the other. The count is a separate
      // statement, so that it sees a listener that the other call inserted.
      yield* sql`SELECT 1 FROM apps WHERE app_id = ${listener.appId} FOR NO KEY UPDATE`
      const counted = yield* sql`SELECT count(*) FROM listeners
                                 WHERE app_id = ${listener.appId} AND seen_until > ${Rows.at(listener.createdAt)}`.pipe(
        Rows.first(Count)
      )
      if (Option.exists(counted, ({ count }) => count >= Listener.MAX_PER_APP)) return false
      yield* insert(sql, listener)
      return true
    }).pipe(sql.withTransaction, orStoreError)

const insert = (sql: SqlClient, listener: Listener.Listener) =>
  sql`INSERT INTO listeners (app_id, listener_id, endpoint_id, events, created_at, seen_until, dropped)
      VALUES (${listener.appId}, ${listener.id}, ${listener.endpointId}, ${listener.events},
              ${Rows.at(listener.createdAt)}, ${Rows.at(listener.seenUntil)}, 0)`

/**
 * The fan-out of events reads the listeners of many apps, so this statement is sent with `reads`, on connections that
 * many requests share.
 */
const live =
  (sql: SqlClient): Store["live"] =>
  (appId, now) =>
    reads(sql)`SELECT ${COLUMNS} FROM listeners WHERE app_id = ${appId} AND seen_until > ${Rows.at(now)}
               ORDER BY created_at, listener_id`.pipe(
      Rows.all(ListenerRow),
      Effect.map((rows) => rows.map(toListener)),
      orStoreError
    )

const renew =
  (sql: SqlClient): Store["renew"] =>
  (appId, id, now, seenUntil) =>
    Rows.affected(
      sql`UPDATE listeners SET seen_until = ${Rows.at(seenUntil)}
          WHERE app_id = ${appId} AND listener_id = ${id} AND seen_until > ${Rows.at(now)}`
    ).pipe(
      Effect.map((count) => count > 0),
      orStoreError
    )

const offer =
  (sql: SqlClient): Store["offer"] =>
  (rows) => {
    const [head] = rows
    return head === undefined
      ? Effect.succeed([])
      : ListenerEvents.offer(sql, head.appId, rows).pipe(sql.withTransaction, orStoreError)
  }

const waiting =
  (sql: SqlClient): Store["waiting"] =>
  (appId, id, limit) =>
    Effect.gen(function* () {
      const listener = yield* readDropped(sql, appId, id)
      if (Option.isNone(listener)) return Option.none()
      const events = yield* sql`SELECT ${WAITING_COLUMNS} FROM listener_events
                                WHERE app_id = ${appId} AND listener_id = ${id}
                                ORDER BY created_at, position, event_id LIMIT ${limit}`.pipe(Rows.all(WaitingRow))
      return Option.some({ events: events.map(toWaiting), dropped: listener.value.dropped })
    }).pipe(orStoreError)

const Dropped = Schema.Struct({ dropped: Schema.Int })

/**
 * Reads how many events the listener lost because too many waited, and has not reported yet; None when the listener
 * does not exist.
 */
const readDropped = (sql: SqlClient, appId: AppId, id: ListenerId) =>
  sql`SELECT dropped FROM listeners WHERE app_id = ${appId} AND listener_id = ${id}`.pipe(Rows.first(Dropped))

const KeyRow = Schema.Struct({ app_id: ListenerRow.fields.app_id, listener_id: ListenerRow.fields.listener_id })

const expired =
  (sql: SqlClient): Store["expired"] =>
  (now, limit) =>
    sql`SELECT app_id, listener_id FROM listeners WHERE seen_until <= ${Rows.at(now)}
        ORDER BY seen_until, listener_id LIMIT ${limit}`.pipe(
      Rows.all(KeyRow),
      Effect.map((rows) => rows.map((row) => ({ appId: row.app_id, id: row.listener_id }))),
      orStoreError
    )
