import { Effect, Layer, Option } from "effect"
import { type Device, latestFirst } from "../../../src/devices/Device.js"
import * as Fix from "../../../src/fixes/Fix.js"
import {
  FixStore,
  type SentFixes,
  type StoredUpload,
  type UploadCommit,
  type UploadView
} from "../../../src/fixes/FixStore.js"
import * as FutureReading from "../../../src/fixes/FutureReading.js"
import type { LiveRule } from "../../../src/rules/LiveRule.js"
import * as RecentEvaluations from "../../../src/rules/RecentEvaluations.js"
import * as RuleEvaluation from "../../../src/rules/RuleEvaluation.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as VisitReport from "../../../src/fixes/VisitReport.js"
import { MemoryDatabase, type Tables, toFix } from "../MemoryDatabase.js"
import { bucketOf } from "../leases/buckets.js"
import { cutoff } from "./MemoryHistoryStore.js"
import * as MemoryRules from "../rules/MemoryRules.js"

export const layer: Layer.Layer<FixStore, never, MemoryDatabase> = Layer.effect(
  FixStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { devices, events, fixes, importDevices, quarantined, ruleStates, streamVersions } = tables

    return FixStore.of({
      view: (userId, sent, now) =>
        Effect.sync(() => ({
          version: streamVersions.get(userId) ?? 0,
          known: knownOf(tables, userId, sent),
          rules: liveRules(tables, userId, now),
          cutoff: cutoff(tables, userId, now),
          erasures: tables.erasures.get(userId) ?? [],
          devices: [...devices.values()]
            .filter((one) => one.userId === userId && one.removedAt === null && !importDevices.has(one.id))
            .map(({ id, lastSeenAt, movement, putAside, staysAtHome }) => ({
              id,
              lastSeenAt,
              movement,
              staysAtHome,
              lastFutureAt: putAside.find(({ reason }) => reason === "future")?.lastAt ?? null
            }))
        })),

      waiting: (userId, { deviceId, fixes: added, receivedAt }, since, limit) =>
        Effect.sync(() => {
          const mine = [...fixes.values()].filter((fix) => fix.userId === userId && fix.deviceId === deviceId)
          const readings = [...quarantined.values()].flatMap((one): ReadonlyArray<FutureReading.FutureReading> =>
            one.userId === userId &&
            one.deviceId === deviceId &&
            one.reason === "future" &&
            one.receivedAt > since &&
            "capturedAt" in one.reading
              ? [{ key: one.key, reading: one.reading, receivedAt: one.receivedAt }]
              : []
          )
          return FutureReading.undisputed(readings, [...mine, ...added.map((fix) => ({ ...fix, receivedAt }))])
            .toSorted((a, b) => a.reading.capturedAt - b.reading.capturedAt || (a.key < b.key ? -1 : 1))
            .slice(0, limit)
        }),

      commit: ({ states, uploads, userId, version }) =>
        Effect.sync(() => {
          if ((streamVersions.get(userId) ?? 0) !== version) return false
          streamVersions.set(userId, version + 1)
          for (const upload of uploads) storeUpload(tables, userId, upload)
          storeStates(tables, states)
          return true
        }),

      settling: (buckets, now, limit) =>
        Effect.sync(() => {
          const earliest = new Map<UserId, number>()
          for (const [ruleId, { unsettled }] of ruleStates) {
            const rule = tables.rules.get(ruleId)
            if (rule === undefined || !isDue(unsettled, now) || !buckets.includes(bucketOf(rule.userId))) continue
            earliest.set(rule.userId, Math.min(earliest.get(rule.userId) ?? Infinity, unsettled?.until ?? Infinity))
          }
          return [...earliest]
            .sort(([a, at], [b, bt]) => at - bt || (a < b ? -1 : 1))
            .map(([userId]) => userId)
            .slice(0, limit)
        }),

      commitSettled: ({ events: fired, now, states, userId, version }) =>
        Effect.sync(() => {
          if ((streamVersions.get(userId) ?? 0) !== version) return false
          streamVersions.set(userId, version + 1)
          for (const [ruleId, state] of ruleStates) {
            if (tables.rules.get(ruleId)?.userId !== userId || !isDue(state.unsettled, now)) continue
            ruleStates.set(ruleId, { ...state, unsettled: null })
          }
          storeStates(tables, states)
          for (const event of fired) events.set(event.id, { ...event, fanOutDueAt: now, fannedOutAt: null })
          return true
        }),

      latest: (userId, limit) =>
        Effect.sync(() =>
          [...fixes.values()]
            .filter((fix) => fix.userId === userId)
            .sort(newestFirst)
            .slice(0, limit)
            .map(toFix)
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

/** For each device, the keys of the given fixes that the device has uploaded before. */
const knownOf = ({ fixes }: Tables, userId: UserId, sent: ReadonlyArray<SentFixes>): UploadView["known"] => {
  const keysOf = ({ deviceId, fixes: given }: SentFixes) =>
    given.map(Fix.key).filter((key) => fixes.has(`${userId} ${deviceId} ${key}`))
  return new Map(sent.map((one) => [one.deviceId, new Set(keysOf(one))]))
}

const storeUpload = (tables: Tables, userId: UserId, upload: StoredUpload): void => {
  const { devices, events, fixes, quarantined, staysDueFrom, visitReports, visitTellers } = tables
  const { deviceId, receivedAt } = upload
  const owner = `${userId} ${deviceId}`
  for (const fix of upload.fixes) {
    const mark = upload.leftBehind.has(fix) ? ({ isLeftBehind: true } as const) : {}
    const arrivedAt = upload.arrivals.get(fix) ?? receivedAt
    addOnce(fixes, `${owner} ${Fix.key(fix)}`, { ...fix, userId, deviceId, receivedAt: arrivedAt, ...mark })
  }
  for (const one of upload.quarantined) {
    addOnce(quarantined, `${owner} ${one.key}`, { ...one, userId, deviceId, receivedAt })
  }
  for (const key of upload.taken) quarantined.delete(`${owner} ${key}`)
  for (const visit of upload.visits) {
    addOnce(visitReports, `${owner} ${VisitReport.key(visit)}`, { ...visit, userId, deviceId })
  }
  if (upload.visits.length > 0) visitTellers.set(deviceId, userId)
  for (const event of upload.events) {
    events.set(event.id, { ...event, fanOutDueAt: receivedAt, fannedOutAt: null })
  }
  for (const { capturedAt } of upload.fixes) {
    staysDueFrom.set(deviceId, Timestamp.make(Math.min(staysDueFrom.get(deviceId) ?? capturedAt, capturedAt)))
  }
  const device = devices.get(deviceId)
  if (device?.userId !== userId) return
  const isUseful = upload.fixes.length + upload.visits.length > 0
  devices.set(deviceId, {
    ...device,
    lastSeenAt: later(device.lastSeenAt, receivedAt),
    lastKeptAt: isUseful ? later(device.lastKeptAt, receivedAt) : device.lastKeptAt,
    putAside: counted(device.putAside, upload),
    movement: upload.movement ?? device.movement
  })
}

const storeStates = ({ recentEvaluations, ruleStates }: Tables, states: UploadCommit["states"]): void => {
  for (const { made, ruleId, state } of states) {
    ruleStates.set(ruleId, state)
    const before = recentEvaluations.get(ruleId) ?? RecentEvaluations.none
    recentEvaluations.set(ruleId, RecentEvaluations.append(before, made))
  }
}

const isDue = (unsettled: RuleEvaluation.Unsettled | null, now: Timestamp.Timestamp): boolean =>
  unsettled !== null && unsettled.fires && unsettled.until <= now

const later = (before: Timestamp.Timestamp | null, at: Timestamp.Timestamp): Timestamp.Timestamp =>
  before !== null && before > at ? before : at

const counted = (
  before: Device["putAside"],
  { putAside, receivedAt }: Pick<StoredUpload, "putAside" | "receivedAt">
): Device["putAside"] => {
  const all = new Map(before.map((one) => [one.reason, one]))
  for (const { count, reason } of putAside) {
    const known = all.get(reason)
    all.set(reason, {
      reason,
      count: (known?.count ?? 0) + count,
      lastAt: later(known?.lastAt ?? null, receivedAt)
    })
  }
  return [...all.values()].sort(latestFirst)
}

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
    if (RuleEvaluation.isOver(stored.window, now) || !MemoryRules.isAllowed(tables, connection, stored, now)) continue
    const ground = MemoryRules.ground(tables, connection, stored, now)
    if (ground === undefined) continue
    const state = tables.ruleStates.get(stored.id) ?? RuleEvaluation.unseeded(ground.basis)
    live.push({ rule: { ...MemoryRules.relabelled(tables, stored), disabledAt: null }, ...ground, state })
  }
  return live.sort((a, b) => (a.rule.id < b.rule.id ? -1 : 1))
}
