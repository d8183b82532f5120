import { Effect, Layer, Struct } from "effect"
import * as Fix from "../../../src/fixes/Fix.js"
import type { DeviceId, UserId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import type { StayProgress } from "../../../src/visits/StayProgress.js"
import { StayStore } from "../../../src/visits/StayStore.js"
import { bucketOf } from "../leases/buckets.js"
import { type Brought, MemoryDatabase, type Tables } from "../MemoryDatabase.js"

export const layer: Layer.Layer<StayStore, never, MemoryDatabase> = Layer.effect(
  StayStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { devices, fixes, importDevices, stayBackfills, stays, staysDueFrom, streamVersions } = tables

    const stayKey = (
      deviceId: DeviceId,
      { arrival, placeId }: { readonly arrival: number; readonly placeId: string }
    ) => `${deviceId} ${placeId} ${arrival}`

    /**
     * Whether the stays of the device are also derived from this fix: the fix is stored under the device, or the device
     * is an import whose file also has the fix (`Brought.alsoFrom`). A file that brought nothing new has no stays
     * (decision imports-2).
     */
    const isOf = (deviceId: DeviceId, fix: { readonly deviceId: DeviceId } & Brought) =>
      fix.deviceId === deviceId ||
      (fix.alsoFrom?.includes(deviceId) === true && (importDevices.get(deviceId) ?? null) !== null)

    const ofDevice = (deviceId: DeviceId) => [...stays.values()].filter((stay) => stay.deviceId === deviceId)

    const write = (userId: UserId, deviceId: DeviceId, { backfills, dueFrom }: StayProgress): void => {
      if (dueFrom === null) staysDueFrom.delete(deviceId)
      else staysDueFrom.set(deviceId, dueFrom)
      for (const [key, row] of stayBackfills) if (row.deviceId === deviceId) stayBackfills.delete(key)
      for (const row of backfills) {
        stayBackfills.set(`${userId} ${deviceId} ${row.placeId}`, { ...row, userId, deviceId })
      }
    }

    const owing = (before: number) =>
      [...devices.values()]
        .filter(({ id, userId }) => {
          const { backfills, dueFrom } = progress(tables, userId, id)
          return (dueFrom !== null && dueFrom < before) || backfills.length > 0
        })
        .map(({ id, userId }) => ({ userId, deviceId: id }))
        .sort((a, b) => (key(a) < key(b) ? -1 : 1))

    return StayStore.of({
      due: (userId) =>
        Effect.sync(() =>
          owing(Number.POSITIVE_INFINITY)
            .filter((one) => one.userId === userId)
            .map((one) => one.deviceId)
            .sort((a, b) => Number(importDevices.has(a)) - Number(importDevices.has(b)))
        ),

      behind: ({ after, buckets, limit, until }) =>
        Effect.sync(() =>
          owing(until)
            .filter((one) => buckets.includes(bucketOf(one.userId)) && (after === undefined || key(one) > key(after)))
            .slice(0, limit)
        ),

      // Outdated stays come only from an earlier release of the service, and the in-memory tables begin empty.
      outdated: () => Effect.succeed([]),

      heardBefore: (userId, deviceId, at) =>
        Effect.sync(() =>
          [...fixes.values()]
            .filter((fix) => fix.userId === userId && isOf(deviceId, fix) && fix.capturedAt < at)
            .reduce<Timestamp | null>((last, { capturedAt }) => later(last, capturedAt), null)
        ),

      view: (userId, deviceId) =>
        Effect.sync(() => ({
          version: streamVersions.get(userId) ?? 0,
          progress: progress(tables, userId, deviceId),
          erasures: tables.erasures.get(userId) ?? []
        })),

      openAt: (userId, deviceId, at) =>
        Effect.sync(() => {
          const begun = ofDevice(deviceId).filter((stay) => stay.userId === userId && stay.arrival < at)
          const latest = new Map(begun.sort((a, b) => a.arrival - b.arrival).map((stay) => [stay.placeId, stay]))
          return [...latest.values()]
            .filter(({ departure }) => departure === null || departure >= at)
            .sort((a, b) => (a.placeId < b.placeId ? -1 : 1))
            .map(Struct.pick("placeId", "arrival", "heardUntil"))
        }),

      fixes: (userId, deviceId, from, limit) =>
        Effect.sync(() =>
          [...fixes.values()]
            .filter((fix) => fix.userId === userId && isOf(deviceId, fix) && fix.capturedAt >= from)
            .sort(Fix.byCapture)
            .slice(0, limit)
            .map(({ accuracyM, capturedAt, isLeftBehind, lat, lon }) => ({
              capturedAt,
              lat,
              lon,
              accuracyM,
              ...(isLeftBehind === true ? { isLeftBehind } : {})
            }))
        ),

      commit: ({ deviceId, from, placeIds, progress: after, stays: derived, to, userId, view }) =>
        Effect.sync(() => {
          const asRead =
            (streamVersions.get(userId) ?? 0) === view.version &&
            text(progress(tables, userId, deviceId)) === text(view.progress)
          if (!asRead) return false
          for (const stay of ofDevice(deviceId)) {
            const replaced =
              placeIds.includes(stay.placeId) && stay.arrival >= from && (to === null || stay.arrival <= to)
            if (replaced) stays.delete(stayKey(deviceId, stay))
          }
          for (const stay of derived) stays.set(stayKey(deviceId, stay), { ...stay, userId, deviceId })
          write(userId, deviceId, after)
          return true
        })
    })
  })
)

const later = (a: Timestamp | null, b: Timestamp): Timestamp => (a === null || b > a ? b : a)

const key = ({ deviceId, userId }: { readonly userId: string; readonly deviceId: string }): string =>
  `${userId} ${deviceId}`

const text = (progress: StayProgress): string => JSON.stringify(progress)

const progress = (tables: Tables, userId: UserId, deviceId: DeviceId): StayProgress => ({
  dueFrom: tables.staysDueFrom.get(deviceId) ?? null,
  backfills: [...tables.stayBackfills.values()]
    .filter((row) => row.userId === userId && row.deviceId === deviceId)
    .map(Struct.pick("placeId", "dueFrom"))
    .sort((a, b) => (a.placeId < b.placeId ? -1 : 1))
})
