import { Effect, Layer } from "effect"
import type * as Sending from "../../../src/devices/Sending.js"
import * as Fix from "../../../src/fixes/Fix.js"
import { FixHistory, type HistoryStretch, type FixCounts } from "../../../src/fixes/FixHistory.js"
import * as RangePosition from "../../../src/fixes/RangePosition.js"
import * as Erasure from "../../../src/retention-choice/Erasure.js"
import * as History from "../../../src/retention-choice/History.js"
import type { UserId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import { MemoryDatabase, toFix } from "../MemoryDatabase.js"

export const layer: Layer.Layer<FixHistory, never, MemoryDatabase> = Layer.effect(
  FixHistory,
  Effect.map(MemoryDatabase, (tables) => {
    const kept = (userId: UserId, now: Timestamp, { from, until }: HistoryStretch): ReadonlyArray<Fix.StoredFix> => {
      const chosen = tables.historyChoices.get(userId)
      const cutoff = History.cutoff(chosen === undefined ? History.DEFAULT : chosen, now)
      return [...tables.fixes.values()].filter(
        (fix) =>
          fix.userId === userId &&
          !History.isPast(fix.capturedAt, cutoff) &&
          (from === null || fix.capturedAt >= from) &&
          (until === null || fix.capturedAt < until)
      )
    }
    const ALL: HistoryStretch = { from: null, until: null }

    return FixHistory.of({
      newest: (userId, now, within, limit) =>
        Effect.sync(() => {
          const fixes = kept(userId, now, within).filter(isCarried).map(toFix).sort(Fix.newestFirst)
          const last = fixes[limit - 1]
          return last === undefined ? fixes : fixes.filter((fix) => fix.capturedAt >= last.capturedAt)
        }),

      around: (userId, now, at, toleranceMs) =>
        Effect.sync(() => {
          if (Erasure.isErased(at, tables.erasures.get(userId) ?? [])) return []
          const near = kept(userId, now, ALL).filter(
            (fix) => isCarried(fix) && Math.abs(fix.capturedAt - at) <= toleranceMs
          )
          const times = near.map((fix) => fix.capturedAt)
          const before = Math.max(...times.filter((time) => time <= at))
          const after = Math.min(...times.filter((time) => time > at))
          return near.filter((fix) => fix.capturedAt === before || fix.capturedAt === after).map(toFix)
        }),

      range: (userId, now, within, limit, after) =>
        Effect.sync(() => {
          const position = RangePosition.start(within.from, after)
          return RangePosition.page(kept(userId, now, { from: position.from, until: within.until }), limit, position)
        }),

      tally: (userId, now, edges) =>
        Effect.sync(() =>
          edges.slice(0, -1).flatMap((from, edge): ReadonlyArray<FixCounts> => {
            const times = kept(userId, now, { from, until: edges[edge + 1] ?? null }).map((fix) => fix.capturedAt)
            if (times.length === 0) return []
            const [firstAt, lastAt] = [Math.min(...times) as Timestamp, Math.max(...times) as Timestamp]
            return [{ edge, fixes: times.length, firstAt, lastAt }]
          })
        ),

      sent: (userId, deviceId, now, edges, { lateMs, silentMs }) =>
        Effect.sync(() => {
          const from = edges[0] ?? now
          const all = kept(userId, now, { from, until: edges.at(-1) ?? from })
            .filter((fix) => fix.deviceId === deviceId)
            .sort((a, b) => a.capturedAt - b.capturedAt)
          const counts = edges.slice(0, -1).flatMap((begin, edge): ReadonlyArray<Sending.SentCount> => {
            const fixes = all.filter(({ capturedAt }) => capturedAt >= begin && capturedAt < (edges[edge + 1] ?? begin))
            const [first] = fixes
            const last = fixes.at(-1)
            if (first === undefined || last === undefined) return []
            const late = fixes.filter(({ capturedAt, receivedAt }) => receivedAt - capturedAt > lateMs).length
            return [{ edge, readings: fixes.length, late, firstAt: first.capturedAt, lastAt: last.capturedAt }]
          })
          const silences = all.flatMap((fix, index): ReadonlyArray<Sending.SilentStretch> => {
            const next = all[index + 1]
            return next === undefined || next.capturedAt - fix.capturedAt < silentMs
              ? []
              : [{ from: fix.capturedAt, until: next.capturedAt }]
          })
          return { counts, silences }
        })
    })
  })
)

const isCarried = ({ isLeftBehind }: Fix.StoredFix): boolean => isLeftBehind !== true
