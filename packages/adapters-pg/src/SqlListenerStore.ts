import { SqlClient } from "@effect/sql/SqlClient"
import { Listener, ListenerStore } from "@place-access/domain/listeners"
import type { AppId, ListenerId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "./client/Client.js"
import { orStoreError } from "./Failures.js"
import * as ListenerEvents from "./listeners/ListenerEvents.js"
import { ListenerRow, toListener, toWaiting, WaitingRow } from "./listeners/ListenerRow.js"
import * as Rows from "./Rows.js"

const Count = Schema.Struct({ count: Rows.Bigint })

const KeyRow = Schema.Struct({ app_id: ListenerRow.fields.app_id, listener_id: ListenerRow.fields.listener_id })

const Dropped = Schema.Struct({ dropped: Schema.Int })

export const layer: Layer.Layer<ListenerStore, never, SqlClient> = Layer.effect(
  ListenerStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(ListenerRow.fields).join(", "))
    const eventColumns = sql.literal(Object.keys(WaitingRow.fields).join(", "))

    const insert = (listener: Listener.Listener) =>
      sql`INSERT INTO listeners (app_id, listener_id, endpoint_id, events, created_at, seen_until, dropped)
          VALUES (${listener.appId}, ${listener.id}, ${listener.endpointId}, ${listener.events},
                  ${Rows.at(listener.createdAt)}, ${Rows.at(listener.seenUntil)}, 0)`

    const found = (appId: AppId, id: ListenerId) =>
      sql`SELECT dropped FROM listeners WHERE app_id = ${appId} AND listener_id = ${id}`.pipe(Rows.first(Dropped))

    return ListenerStore.of({
      open: (listener) =>
        Effect.gen(function* () {
          // As for endpoints: two that open at once queue up here, and the count is a statement of its own.
          yield* sql`SELECT 1 FROM apps WHERE app_id = ${listener.appId} FOR NO KEY UPDATE`
          const counted = yield* sql`SELECT count(*) FROM listeners
                                     WHERE app_id = ${listener.appId} AND seen_until > ${Rows.at(listener.createdAt)}`.pipe(
            Rows.first(Count)
          )
          if (Option.exists(counted, ({ count }) => count >= Listener.MAX_PER_APP)) return false
          yield* insert(listener)
          return true
        }).pipe(sql.withTransaction, orStoreError),

      live: (appId, now) =>
        reads(sql)`SELECT ${columns} FROM listeners WHERE app_id = ${appId} AND seen_until > ${Rows.at(now)}
            ORDER BY created_at, listener_id`.pipe(
          Rows.all(ListenerRow),
          Effect.map((rows) => rows.map(toListener)),
          orStoreError
        ),

      renew: (appId, id, now, seenUntil) =>
        Rows.affected(
          sql`UPDATE listeners SET seen_until = ${Rows.at(seenUntil)}
              WHERE app_id = ${appId} AND listener_id = ${id} AND seen_until > ${Rows.at(now)}`
        ).pipe(
          Effect.map((count) => count > 0),
          orStoreError
        ),

      offer: (rows) => {
        const [head] = rows
        return head === undefined
          ? Effect.succeed([])
          : ListenerEvents.offer(sql, head.appId, rows).pipe(sql.withTransaction, orStoreError)
      },

      waiting: (appId, id, limit) =>
        Effect.gen(function* () {
          const listener = yield* found(appId, id)
          if (Option.isNone(listener)) return Option.none()
          const events = yield* sql`SELECT ${eventColumns} FROM listener_events
                                    WHERE app_id = ${appId} AND listener_id = ${id}
                                    ORDER BY created_at, position, event_id LIMIT ${limit}`.pipe(Rows.all(WaitingRow))
          return Option.some({ events: events.map(toWaiting), dropped: listener.value.dropped })
        }).pipe(orStoreError),

      take: (appId, id, events, dropped) =>
        ListenerEvents.take(sql, { appId, id }, events, dropped).pipe(sql.withTransaction, orStoreError),

      close: (appId, id) => ListenerEvents.close(sql, { appId, id }).pipe(sql.withTransaction, orStoreError),

      expired: (now, limit) =>
        sql`SELECT app_id, listener_id FROM listeners WHERE seen_until <= ${Rows.at(now)}
            ORDER BY seen_until LIMIT ${limit}`.pipe(
          Rows.all(KeyRow),
          Effect.map((rows) => rows.map((row) => ({ appId: row.app_id, id: row.listener_id }))),
          orStoreError
        )
    })
  })
)
