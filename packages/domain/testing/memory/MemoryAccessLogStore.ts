import { Effect, Layer } from "effect"
import { type AccessLogEntry, isOfApp, isOfDeveloper } from "../../src/access-log/AccessLogEntry.js"
import { AccessLogStore, type AccessLogKey } from "../../src/access-log/AccessLogStore.js"
import * as Disclosure from "../../src/answers/Disclosure.js"
import type { ConnectionId } from "../../src/shared/Ids.js"
import * as Page from "../../src/shared/Page.js"
import type { Timestamp } from "../../src/shared/Timestamp.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

export const layer: Layer.Layer<AccessLogStore, never, MemoryDatabase> = Layer.effect(
  AccessLogStore,
  Effect.map(MemoryDatabase, ({ accessLog }) => {
    const recordUnless = (entry: AccessLogEntry, keys: ReadonlyArray<AccessLogKey>) =>
      Effect.sync(() => {
        const known = accessLog.some(
          (one) => one.userId === entry.userId && [entry, ...keys].some(({ at, id }) => one.at === at && one.id === id)
        )
        if (!known) accessLog.push(entry)
      })
    return AccessLogStore.of({
      record: (entry) => recordUnless(entry, []),
      recordRepeat: (entry) =>
        Effect.sync(() => {
          const index = accessLog.findIndex(
            (one) => one.userId === entry.userId && one.at === entry.at && one.id === entry.id
          )
          const known = accessLog[index]
          if (known === undefined) accessLog.push(entry)
          else accessLog[index] = { ...known, times: Math.max(known.times, entry.times) }
        }),
      recordUnless,
      list: (userId, { appId, from, purpose, to }, limit, after) =>
        Effect.sync(() => {
          const rows = accessLog
            .filter(
              (entry) =>
                entry.userId === userId &&
                (appId === undefined || entry.appId === appId) &&
                (purpose === undefined || entry.purpose === purpose) &&
                (from === undefined || entry.at >= from) &&
                (to === undefined || entry.at < to) &&
                Page.isOlder(entry.at, entry.id, after)
            )
            .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
          return Page.of(rows, limit, (last) => [last.at, last.id])
        }),
      countUses: (userId, appId, from) =>
        Effect.sync(() => {
          const counts = new Map<string | null, number>()
          for (const { at, disclosed, error, purpose, ...entry } of accessLog) {
            if (entry.userId !== userId || entry.appId !== appId || at < from || error !== null) continue
            if (!isOfApp(entry) || disclosed === Disclosure.PAUSED) continue
            counts.set(purpose, (counts.get(purpose) ?? 0) + 1)
          }
          return Array.from(counts, ([purpose, count]) => ({ purpose, count })).sort(
            (a, b) => b.count - a.count || ((a.purpose ?? "") < (b.purpose ?? "") ? -1 : 1)
          )
        }),
      tally: (userId, edges) =>
        Effect.sync(() => {
          const own = accessLog.filter((entry) => entry.userId === userId)
          const apps = [...new Set(own.map(({ appId }) => appId))].sort()
          return edges.slice(0, -1).flatMap((from, edge) =>
            apps.flatMap((appId) => {
              const until = edges[edge + 1] ?? from
              const within = own.filter((entry) => entry.appId === appId && entry.at >= from && entry.at < until)
              const requests = within.filter(isOfApp)
              const sum = (entries: typeof own) => entries.reduce((all, { times }) => all + times, 0)
              return within.length === 0 ? [] : [{ appId, edge, count: sum(within), requests: sum(requests) }]
            })
          )
        }),
      lastAnswered: (userId, requests) =>
        Effect.sync(() => {
          const last = new Map<ConnectionId, Timestamp>()
          for (const { appId, connectionId, until } of requests) {
            for (const entry of accessLog) {
              const counts =
                entry.userId === userId &&
                entry.appId === appId &&
                entry.connectionId === connectionId &&
                entry.error === null &&
                !isOfDeveloper(entry) &&
                (until === null || entry.at <= until)
              if (counts && entry.at > (last.get(connectionId) ?? -Infinity)) last.set(connectionId, entry.at)
            }
          }
          return last
        })
    })
  })
)
