import { Effect, Layer, Option } from "effect"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { TierStore } from "../../../src/sweeps/TierStore.js"
import { apply } from "./MemoryConnections.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<TierStore, never, MemoryDatabase> = Layer.effect(
  TierStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { apps, connections, tierLooks, tierNotices } = tables
    const due = (limit: number, now: Timestamp.Timestamp) =>
      [...connections.values()]
        .flatMap(({ endedAt, id, userId }) => {
          const look = tierLooks.get(id)
          return endedAt !== null ||
            look === undefined ||
            look.at === null ||
            look.at > now ||
            (look.leasedUntil !== null && look.leasedUntil > now)
            ? []
            : [{ id, userId, at: look.at }]
        })
        .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
        .slice(0, limit)

    return TierStore.of({
      listDue: (limit, now) => Effect.sync(() => due(limit, now).map(({ id, userId }) => ({ id, userId }))),

      claimDue: (limit, now, leaseUntil) =>
        Effect.sync(() => {
          const claimed = due(limit, now)
          for (const { id, at } of claimed) tierLooks.set(id, { at, leasedUntil: leaseUntil })
          return claimed.map(({ id, userId }) => ({ id, userId }))
        }),

      sweep: ({ id, userId }, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(id)
          const app = connection === undefined ? undefined : apps.get(connection.appId)?.app
          const from = tierLooks.get(id)?.at ?? null
          if (connection?.userId !== userId || connection.endedAt !== null || app === undefined || from === null) {
            return Option.none()
          }
          const before = tierNotices.get(id) ?? []
          const { outcome, told, writes } = decide({ connection, app, from, told: before }, now)
          apply(tables, id, writes, now)
          tierNotices.set(id, [...before, ...told])
          return Option.some(outcome)
        })
    })
  })
)
