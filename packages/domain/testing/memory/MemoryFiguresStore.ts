import { Effect, Layer } from "effect"
import * as AppFigures from "../../src/figures/AppFigures.js"
import type { AttemptCount } from "../../src/figures/EndpointFigures.js"
import { COUNTED_MAX, FiguresStore } from "../../src/figures/FiguresStore.js"
import * as Page from "../../src/shared/Page.js"
import type * as Timestamp from "../../src/shared/Timestamp.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

export const layer: Layer.Layer<FiguresStore, never, MemoryDatabase> = Layer.effect(
  FiguresStore,
  Effect.map(MemoryDatabase, ({ appCalls, appHours, connections, deliveries, endpointHours }) => {
    const ofEndpoint = (count: AttemptCount) =>
      `${count.appId} ${count.endpointId} ${count.hour} ${count.isSuccess} ${count.upToMillis}`
    return FiguresStore.of({
      add: (batch) =>
        Effect.sync(() => {
          for (const { appId, hour, ...counts } of batch.hours) {
            const key = `${appId} ${hour}`
            appHours.set(key, { appId, hour, ...AppFigures.add(appHours.get(key) ?? AppFigures.NOTHING, counts) })
          }
          for (const count of batch.attempts) {
            const before = endpointHours.get(ofEndpoint(count))
            const newest = before === undefined || count.lastAt >= before.lastAt ? count : before
            const attempts = count.attempts + (before?.attempts ?? 0)
            endpointHours.set(ofEndpoint(count), { ...newest, attempts })
          }
          for (const call of batch.calls) {
            const key = `${call.appId} ${call.at} ${call.requestId}`
            if (!appCalls.has(key)) appCalls.set(key, call)
          }
        }),
      hours: (appId, from, to) =>
        Effect.sync(() =>
          [...appHours.values()]
            .filter((row) => row.appId === appId && row.hour >= from && row.hour < to)
            .sort((a, b) => a.hour - b.hour)
        ),
      calls: (appId, { refusedOnly }, limit, after) =>
        Effect.sync(() => {
          const rows = [...appCalls.values()]
            .filter((call) => call.appId === appId && (!refusedOnly || call.error !== null))
            .filter((call) => Page.isOlder(call.at, call.requestId, after))
            .sort((a, b) => b.at - a.at || (a.requestId < b.requestId ? 1 : -1))
          return Page.of(rows, limit, (last) => [last.at, last.requestId])
        }),
      attempts: (appId, endpointId, from) =>
        Effect.sync(() =>
          [...endpointHours.values()]
            .filter((row) => row.appId === appId && row.endpointId === endpointId && row.hour >= from)
            .sort((a, b) => a.hour - b.hour || Number(a.isSuccess) - Number(b.isSuccess) || a.upToMillis - b.upToMillis)
        ),
      newest: (appId, from) =>
        Effect.sync(() => {
          const rows = [...endpointHours.values()].filter((row) => row.appId === appId && row.hour >= from)
          const last = (endpointId: string, isSuccess: boolean) =>
            rows
              .filter((row) => row.endpointId === endpointId && row.isSuccess === isSuccess)
              .sort((a, b) => b.lastAt - a.lastAt)[0]
          return [...new Set(rows.map(({ endpointId }) => endpointId))].sort().map((endpointId) => ({
            endpointId,
            succeededAt: last(endpointId, true)?.lastAt ?? null,
            failedAt: last(endpointId, false)?.lastAt ?? null,
            error: last(endpointId, false)?.error ?? null
          }))
        }),
      waiting: (appId, endpointId) =>
        Effect.sync(() => {
          const waits = [...deliveries.values()].filter(
            ({ delivery }) =>
              delivery.appId === appId && delivery.endpointId === endpointId && delivery.state === "trying"
          )
          return Math.min(waits.length, COUNTED_MAX)
        }),
      users: (appId, from) =>
        Effect.sync(() => {
          const newest = [...connections.values()]
            .filter((one) => one.appId === appId)
            .sort((a, b) => b.connectedAt - a.connectedAt)
            .slice(0, COUNTED_MAX)
          const hours = new Map<Timestamp.Timestamp, number>()
          for (const { connectedAt } of newest.filter((one) => one.connectedAt >= from).toReversed()) {
            const hour = AppFigures.hourOf(connectedAt)
            hours.set(hour, (hours.get(hour) ?? 0) + 1)
          }
          return {
            live: newest.filter(({ endedAt }) => endedAt === null).length,
            isAtMax: newest.length >= COUNTED_MAX,
            connected: [...hours].map(([hour, count]) => ({ hour, count }))
          }
        })
    })
  })
)
