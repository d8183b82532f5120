import { Effect, Layer, Option } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { apply, unended, withApp } from "./MemoryConnections.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryPlaces from "../rules/MemoryPlaceStore.js"

export const layer: Layer.Layer<ConnectionStore, never, MemoryDatabase> = Layer.effect(
  ConnectionStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { connections } = tables
    return ConnectionStore.of({
      change: (id, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(id)
          if (connection === undefined) return Option.none()
          const { outcome, writes } = decide(withApp(tables, connection), now)
          apply(tables, id, writes, now)
          return Option.some(outcome)
        }),

      archivePlace: (userId, placeId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const place = tables.places.get(placeId)
          if (place?.userId !== userId) return Option.none()
          const sharedWith = [...connections.values()]
            .filter((one) => one.endedAt === null && one.places.some((shared) => shared.placeId === placeId))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .map((one) => withApp(tables, one))
          const { archivedAt, outcome, writes } = decide({ place, sharedWith }, now)
          if (archivedAt !== null) MemoryPlaces.store(tables, place, { ...place, archivedAt }, now)
          for (const one of writes) apply(tables, one.id, one.writes, now)
          return Option.some(outcome)
        }),

      findOfUser: (userId, id) =>
        Effect.sync(() => {
          const connection = connections.get(id)
          return connection?.userId === userId ? Option.some(withApp(tables, connection)) : Option.none()
        }),
      findOfApp: (appId, id) =>
        Effect.sync(() => {
          const connection = connections.get(id)
          return connection?.appId === appId ? Option.some(connection) : Option.none()
        }),
      history: (userId, id, limit) =>
        Effect.sync(() => {
          if (connections.get(id)?.userId !== userId) return []
          return (tables.consentHistory.get(id) ?? []).toReversed().slice(0, limit)
        }),
      findLive: (userId, appId) => Effect.sync(() => Option.fromNullable(unended(tables, userId, appId))),
      listOfUser: (userId) =>
        Effect.sync(() =>
          [...connections.values()]
            .filter((one) => one.userId === userId)
            .sort(newestFirst)
            .map((one) => withApp(tables, one))
        ),
      listOfApp: (appId, limit, after) =>
        Effect.sync(() => {
          const rows = [...connections.values()]
            .filter((one) => one.appId === appId)
            .sort(newestFirst)
            .filter((one) => after === undefined || isBefore(one, after))
          return Page.of(rows, limit, (last) => [last.connectedAt, last.id])
        }),
      listRevoked: ({ after, appId, limit }) =>
        Effect.sync(() =>
          [...connections.values()]
            .filter((one) => one.endedAt === null && withApp(tables, one).app.revokedAt !== null)
            .filter((one) => (appId === undefined || one.appId === appId) && (after === undefined || one.id > after))
            .map(({ id }) => id)
            .sort()
            .slice(0, limit)
        )
    })
  })
)

const newestFirst = (a: Connection, b: Connection): number => b.connectedAt - a.connectedAt || (a.id < b.id ? 1 : -1)

const isBefore = (one: Connection, [time, id]: ReadonlyArray<string | number>): boolean =>
  one.connectedAt < Number(time) || (one.connectedAt === time && one.id < String(id))
