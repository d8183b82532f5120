import { Effect, Layer, Option } from "effect"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { type DueTiers, TierStore } from "../../../src/sweeps/TierStore.js"
import { bucketOf } from "../leases/buckets.js"
import { apply, withApp } from "./MemoryConnections.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<TierStore, never, MemoryDatabase> = Layer.effect(
  TierStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { connections, tierLooks, tierNotices } = tables
    return TierStore.of({
      due: ({ after, buckets, limit, now }) =>
        Effect.sync(() =>
          [...connections.values()]
            .flatMap(({ endedAt, id, userId }) => {
              const dueAt = tierLooks.get(id) ?? null
              const isDue = endedAt === null && dueAt !== null && dueAt <= now && buckets.includes(bucketOf(userId))
              return isDue ? [{ id, userId, dueAt }] : []
            })
            .sort(inOrder)
            .filter((one) => after === undefined || inOrder(one, after) > 0)
            .slice(0, limit)
        ),

      sweep: ({ id, userId }, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(id)
          const state = connection === undefined ? undefined : Option.getOrUndefined(withApp(tables, connection))
          const from = tierLooks.get(id) ?? null
          if (connection?.userId !== userId || connection.endedAt !== null || state === undefined || from === null) {
            return Option.none()
          }
          const before = tierNotices.get(id) ?? []
          const { notices, outcome, writes } = decide({ ...state, from, notices: before }, now)
          apply(tables, id, writes, now)
          tierNotices.set(id, [...before, ...notices])
          return Option.some(outcome)
        })
    })
  })
)

const inOrder = (a: DueTiers, b: DueTiers): number => a.dueAt - b.dueAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
