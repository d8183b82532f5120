import { Effect, Layer, Option } from "effect"
import type { Connection } from "../../../src/connection/Connection.js"
import { ConnectionStore } from "../../../src/connection/ConnectionStore.js"
import type { ConnectionId } from "../../../src/shared/Ids.js"
import * as Page from "../../../src/shared/Page.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { apply, unended, withApp } from "./MemoryConnections.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryPlaces from "../rules/MemoryPlaceStore.js"

export const layer: Layer.Layer<ConnectionStore, never, MemoryDatabase> = Layer.effect(
  ConnectionStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { apps, connections } = tables
    const find = (id: ConnectionId) =>
      Option.flatMap(Option.fromNullable(connections.get(id)), (one) => withApp(tables, one))
    const ofRevoked = () =>
      [...connections.values()].filter(
        (one) => one.endedAt === null && (apps.get(one.appId)?.app.revokedAt ?? null) !== null
      )
    return ConnectionStore.of({
      change: (id, decide) =>
        Effect.map(Timestamp.now, (now) =>
          Option.map(find(id), (state) => {
            const ownPlaces = MemoryPlaces.ofUser(tables, state.connection.userId)
            const { outcome, writes } = decide({ ...state, ownPlaces }, now)
            apply(tables, id, writes, now)
            return outcome
          })
        ),

      archivePlace: (userId, placeId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const place = tables.places.get(placeId)
          if (place?.userId !== userId) return Option.none()
          const sharedWith = [...connections.values()]
            .filter((one) => one.endedAt === null && one.places.some((shared) => shared.placeId === placeId))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .flatMap((one) => Option.toArray(withApp(tables, one)))
          const { archivedAt, outcome, writes } = decide({ place, sharedWith }, now)
          if (archivedAt !== null) MemoryPlaces.store(tables, place, { ...place, archivedAt }, now)
          for (const one of writes) apply(tables, one.id, one.writes, now)
          return Option.some(outcome)
        }),

      findOfUser: (userId, id) =>
        Effect.sync(() => Option.filter(find(id), ({ connection }) => connection.userId === userId)),
      findOfApp: (appId, id) =>
        Effect.sync(() => Option.filter(find(id), ({ connection }) => connection.appId === appId)),
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
            .flatMap((one) => Option.toArray(withApp(tables, one)))
        ),
      listOfApp: (appId, limit, after) =>
        Effect.sync(() => {
          const rows = [...connections.values()]
            .filter((one) => one.appId === appId)
            .sort(newestFirst)
            .filter((one) => Page.isOlder(one.connectedAt, one.id, after))
          return Page.of(rows, limit, (last) => [last.connectedAt, last.id])
        }),
      revokedApps: Effect.sync(() => [...new Set(ofRevoked().map(({ appId }) => appId))].sort()),
      listRevoked: ({ after, appId, limit }) =>
        Effect.sync(() =>
          ofRevoked()
            .filter((one) => one.appId === appId && (after === undefined || one.id > after))
            .map(({ id }) => id)
            .sort()
            .slice(0, limit)
        )
    })
  })
)

const newestFirst = (a: Connection, b: Connection): number => b.connectedAt - a.connectedAt || (a.id < b.id ? 1 : -1)
