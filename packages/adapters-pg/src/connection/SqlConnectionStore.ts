import { SqlClient } from "@effect/sql/SqlClient"
import { type ConnectionStore as Port, ConnectionStore } from "@place-access/domain/connection"
import { AppId, ConnectionId, Page, type PlaceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { together } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { orStoreError } from "../Failures.js"
import * as PlaceWrites from "../places/PlaceWrites.js"
import * as ConnectionReads from "./ConnectionReads.js"
import * as ConnectionRoutes from "./ConnectionRoutes.js"
import { columns, ConnectionRow, toConnection, toWithApp, WithAppRow } from "./ConnectionRow.js"
import { readHistory } from "./ConsentHistoryRow.js"
import * as ConnectionWrites from "./ConnectionWrites.js"

const AppRow = Schema.Struct({ app_id: AppId })
const IdRow = Schema.Struct({ connection_id: ConnectionId })
const readWithApps = Rows.read(WithAppRow)
const readPlaces = Rows.read(PlaceWrites.PlaceRow)

export const layer: Layer.Layer<ConnectionStore, never, SqlClient> = Layer.effect(
  ConnectionStore,
  Effect.map(Effect.all([SqlClient, ConnectionRoutes.ConnectionRoutes]), ([sql, routes]) =>
    ConnectionStore.of({ ...changes(sql, routes), ...lookups(sql, routes), ...lists(sql) })
  )
).pipe(Layer.provide(ConnectionRoutes.layer))

type Store = typeof Port.Service
type Routes = typeof ConnectionRoutes.ConnectionRoutes.Service

const changes = (sql: SqlClient, routes: Routes): Pick<Store, "change" | "archivePlace"> => {
  const connections = ConnectionReads.make(sql)
  const writes = ConnectionWrites.make(sql)
  const places = PlaceWrites.make(sql)

  const lockUnended = (userId: UserId) =>
    sql`SELECT 1 FROM connections WHERE user_id = ${userId} AND ended_at IS NULL
        ORDER BY connection_id COLLATE "C" FOR UPDATE`

  const sharing = (userId: UserId, placeId: PlaceId) =>
    sql`SELECT c.connection_id FROM connection_places s
        JOIN connections c ON c.user_id = s.user_id AND c.connection_id = s.connection_id
        WHERE s.user_id = ${userId} AND s.place_id = ${placeId} AND c.user_id = ${userId} AND c.ended_at IS NULL
        ORDER BY c.connection_id COLLATE "C"`.pipe(Rows.all(IdRow))

  return {
    change: (id, decide) =>
      Effect.gen(function* () {
        const userId = yield* routes.userOf(id)
        if (Option.isNone(userId)) return Option.none()
        const [, found = [], placesFound = []] = yield* together([
          connections.lockOne(userId.value, id),
          connections.withApp(userId.value, id),
          places.all(userId.value)
        ])
        const [row] = yield* readWithApps(found)
        if (row === undefined) return Option.none()
        const now = yield* Timestamp.now
        const state = { ...toWithApp(row), ownPlaces: (yield* readPlaces(placesFound)).map(PlaceWrites.toPlace) }
        const decision = decide(state, now)
        yield* writes.last(state.connection, decision.writes, now)
        return Option.some(decision.outcome)
      }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError),

    archivePlace: (userId, placeId, decide) =>
      Effect.gen(function* () {
        yield* lockUnended(userId)
        const place = yield* places.lock(userId, placeId)
        if (Option.isNone(place)) return Option.none()
        const now = yield* Timestamp.now
        // This read comes after both locks. The statement that locks the connections cannot replace it, because that
        // statement sees the places as they were before it waited for the lock.
        const ids = yield* sharing(userId, placeId)
        const sharedWith = yield* Effect.forEach(ids, (one) => connections.readWithApp(userId, one.connection_id))
        const decision = decide({ place: place.value, sharedWith: Array.getSomes(sharedWith) }, now)
        const { archivedAt } = decision
        if (archivedAt !== null) yield* places.store(place.value, { ...place.value, archivedAt }, now)
        for (const { id, writes: list } of decision.writes) yield* writes.all({ userId, id }, list, now)
        return Option.some(decision.outcome)
      }).pipe(sql.withTransaction, Effect.uninterruptible, orStoreError)
  }
}

const lookups = (sql: SqlClient, routes: Routes): Pick<Store, "findOfUser" | "findOfApp" | "findLive" | "history"> => {
  const connections = ConnectionReads.make(sql)
  return {
    findOfUser: (userId, id) => connections.readWithApp(userId, id).pipe(orStoreError),
    findOfApp: (appId, id) =>
      Effect.gen(function* () {
        const userId = yield* routes.userOf(id)
        if (Option.isNone(userId)) return Option.none()
        const found = yield* connections.readWithApp(userId.value, id)
        return Option.filter(found, ({ connection }) => connection.appId === appId)
      }).pipe(orStoreError),
    history: (userId, id, limit) => readHistory(sql, userId, id, limit).pipe(orStoreError),
    findLive: (userId, appId) => connections.readUnended(userId, appId).pipe(orStoreError)
  }
}

const lists = (sql: SqlClient): Pick<Store, "listOfUser" | "listOfApp" | "revokedApps" | "listRevoked"> => {
  const select = columns(sql)
  return {
    listOfUser: (userId) =>
      sql`SELECT ${select.withApp(userId)} FROM connections c JOIN apps a ON a.app_id = c.app_id
          WHERE c.user_id = ${userId}
          ORDER BY c.connected_at DESC, c.connection_id COLLATE "C" DESC`.pipe(
        Rows.all(WithAppRow),
        Effect.map((rows) => rows.map(toWithApp)),
        orStoreError
      ),

    listOfApp: (appId, limit, after) =>
      Effect.gen(function* () {
        const position = yield* TimePosition.decode(after)
        const rest =
          position === undefined
            ? sql``
            : sql`AND (c.connected_at, c.connection_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`
        const rows = yield* sql`SELECT ${select.connection(null)} FROM connections c WHERE c.app_id = ${appId} ${rest}
                                ORDER BY c.connected_at DESC, c.connection_id COLLATE "C" DESC
                                LIMIT ${limit + 1}`.pipe(Rows.all(ConnectionRow))
        return Page.of(rows.map(toConnection), limit, (last) => [last.connectedAt, last.id])
      }).pipe(orStoreError),

    revokedApps: sql`SELECT DISTINCT c.app_id COLLATE "C" AS app_id FROM apps a
                     JOIN connections c ON c.app_id = a.app_id
                     WHERE a.revoked_at IS NOT NULL AND c.ended_at IS NULL ORDER BY 1`.pipe(
      Rows.all(AppRow),
      Effect.map((rows) => rows.map((row) => row.app_id)),
      orStoreError
    ),

    listRevoked: ({ after, appId, limit }) =>
      sql`SELECT c.connection_id FROM apps a JOIN connections c ON c.app_id = a.app_id
          WHERE a.revoked_at IS NOT NULL AND c.ended_at IS NULL AND a.app_id = ${appId}
            AND ${after === undefined ? sql`true` : sql`c.connection_id COLLATE "C" > ${after}`}
          ORDER BY c.connection_id COLLATE "C" LIMIT ${limit}`.pipe(
        Rows.all(IdRow),
        Effect.map((rows) => rows.map((row) => row.connection_id)),
        orStoreError
      )
  }
}
