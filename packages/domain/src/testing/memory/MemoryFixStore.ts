import { Effect, Layer, Option } from "effect"
import * as Fix from "../../fixes/Fix.js"
import { FixStore } from "../../fixes/FixStore.js"
import type { LiveRule } from "../../rules/LiveRule.js"
import * as RecentEvaluations from "../../rules/RecentEvaluations.js"
import * as RuleEvaluation from "../../rules/RuleEvaluation.js"
import type { UserId } from "../../shared/Ids.js"
import * as Timestamp from "../../shared/Timestamp.js"
import * as VisitReport from "../../visits/VisitReport.js"
import { MemoryDatabase, type Tables } from "./MemoryDatabase.js"
import * as MemoryRules from "./MemoryRules.js"

export const layer: Layer.Layer<FixStore, never, MemoryDatabase> = Layer.effect(
  FixStore,
  Effect.map(MemoryDatabase, (tables) => {
    const {
      devices,
      events,
      fixes,
      quarantined,
      recentEvaluations,
      ruleStates,
      staysDueFrom,
      streamVersions,
      visitReports,
      visitSenders
    } = tables

    return FixStore.of({
      view: (userId, deviceId, asked, now) =>
        Effect.sync(() => ({
          version: streamVersions.get(userId) ?? 0,
          known: new Set(asked.map(Fix.key).filter((key) => fixes.has(`${userId} ${deviceId} ${key}`))),
          rules: liveRules(tables, userId, now)
        })),

      commit: (upload) =>
        Effect.sync(() => {
          const { deviceId, receivedAt, userId } = upload
          if ((streamVersions.get(userId) ?? 0) !== upload.version) return false
          streamVersions.set(userId, upload.version + 1)
          const owner = `${userId} ${deviceId}`
          for (const fix of upload.fixes) {
            addOnce(fixes, `${owner} ${Fix.key(fix)}`, { ...fix, userId, deviceId, receivedAt })
          }
          for (const one of upload.quarantined) {
            addOnce(quarantined, `${owner} ${one.key}`, { ...one, userId, deviceId, receivedAt })
          }
          for (const visit of upload.visits) {
            addOnce(visitReports, `${owner} ${VisitReport.key(visit)}`, { ...visit, userId, deviceId })
          }
          for (const { made, ruleId, state } of upload.states) {
            ruleStates.set(ruleId, state)
            const before = recentEvaluations.get(ruleId) ?? RecentEvaluations.none
            recentEvaluations.set(ruleId, RecentEvaluations.append(before, made))
          }
          for (const event of upload.events) {
            events.set(event.id, { ...event, fanOutDueAt: receivedAt, fannedOutAt: null })
          }
          for (const { capturedAt } of upload.fixes) {
            staysDueFrom.set(deviceId, Timestamp.make(Math.min(staysDueFrom.get(deviceId) ?? capturedAt, capturedAt)))
          }
          if (upload.visits.length > 0) visitSenders.add(deviceId)
          const device = devices.get(deviceId)
          if (device?.userId === userId && (device.lastSeenAt ?? receivedAt) <= receivedAt) {
            devices.set(deviceId, { ...device, lastSeenAt: receivedAt })
          }
          return true
        }),

      latest: (userId, limit) =>
        Effect.sync(() =>
          [...fixes.values()]
            .filter((fix) => fix.userId === userId)
            .sort(newestFirst)
            .slice(0, limit)
        ),

      lastReceivedAt: (userId) =>
        Effect.sync(() => {
          const seen = [...devices.values()].flatMap((device) =>
            device.userId === userId && device.lastSeenAt !== null ? [device.lastSeenAt] : []
          )
          return seen.length === 0 ? Option.none() : Option.some(Math.max(...seen) as Timestamp.Timestamp)
        })
    })
  })
)

const newestFirst = (a: Fix.StoredFix, b: Fix.StoredFix): number =>
  b.capturedAt - a.capturedAt ||
  (a.deviceId < b.deviceId ? 1 : a.deviceId > b.deviceId ? -1 : 0) ||
  b.lat - a.lat ||
  b.lon - a.lon

const addOnce = <A>(table: Map<string, A>, key: string, row: A): void => {
  if (!table.has(key)) table.set(key, row)
}

const liveRules = (tables: Tables, userId: UserId, now: Timestamp.Timestamp): ReadonlyArray<LiveRule> => {
  const live: Array<LiveRule> = []
  for (const stored of tables.rules.values()) {
    const connection = tables.connections.get(stored.connectionId)
    if (stored.userId !== userId || stored.deletedAt !== null || connection === undefined) continue
    if (isOver(stored.window.until, now) || !MemoryRules.isAllowed(tables, connection, stored, now)) continue
    const ground = MemoryRules.ground(tables, connection, stored)
    if (ground === undefined) continue
    const state = tables.ruleStates.get(stored.id) ?? RuleEvaluation.unseeded(ground.basis)
    live.push({ rule: { ...MemoryRules.relabelled(tables, stored), disabledAt: null }, ...ground, state })
  }
  return live.sort((a, b) => (a.rule.id < b.rule.id ? -1 : 1))
}

const isOver = (until: Timestamp.Timestamp | null, now: Timestamp.Timestamp): boolean =>
  until !== null && now > until + RuleEvaluation.LATE_UPLOAD
