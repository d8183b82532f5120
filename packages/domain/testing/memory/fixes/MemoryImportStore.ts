import { Effect, Layer, Option } from "effect"
import * as Device from "../../../src/devices/Device.js"
import * as Fix from "../../../src/fixes/Fix.js"
import { withoutErased } from "../../../src/imports/Entry.js"
import { type Import, MOST_NAMED, NOTHING_READ } from "../../../src/imports/Import.js"
import { isSame, limitOf } from "../../../src/imports/ImportedPlace.js"
import { ImportStore, type Leased, type Owned, type ImportStep } from "../../../src/imports/ImportStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as VisitReport from "../../../src/fixes/VisitReport.js"
import { bucketOf } from "../leases/buckets.js"
import * as MemoryPlaceStore from "../rules/MemoryPlaceStore.js"
import { type KeptImport, MemoryDatabase, type Tables } from "../MemoryDatabase.js"

export const layer: Layer.Layer<ImportStore, never, MemoryDatabase> = Layer.effect(
  ImportStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { devices, importDevices, importPieces, imports } = tables

    const find = ({ id, userId }: Owned): KeptImport | undefined => {
      const kept = imports.get(id)
      return kept?.import.userId === userId ? kept : undefined
    }
    const held = (leased: Leased): KeptImport | undefined => {
      const kept = find(leased)
      return kept?.import.state === "running" && kept.lease === leased.lease ? kept : undefined
    }
    const listed = ({ import: one, uploading }: KeptImport): ReadonlyArray<Import> => (uploading ? [] : [one])
    const throwAway = (id: Import["id"]): void => {
      for (let position = 0; importPieces.delete(`${id} ${position}`); position++);
    }

    return ImportStore.of({
      begin: ({ at, deviceId, fileName, id, userId }, most) =>
        Effect.sync(() => {
          const open = [...imports.values()].filter(({ import: one }) => one.userId === userId && isOpen(one))
          if (open.length >= most) return false
          imports.set(id, {
            import: {
              userId,
              id,
              deviceId,
              fileName,
              format: null,
              state: "waiting",
              counts: NOTHING_READ,
              leftOut: [],
              bytesTotal: 0,
              bytesDone: 0,
              error: null,
              uploadedAt: at,
              finishedAt: null
            },
            uploading: true,
            lease: null,
            dueAt: null,
            attempts: 0
          })
          return true
        }),

      append: (of, position, bytes, at) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept?.uploading !== true) return false
          importPieces.set(`${of.id} ${position}`, bytes.slice())
          imports.set(of.id, { ...kept, import: { ...kept.import, uploadedAt: at } })
          return true
        }),

      complete: (of, bytesTotal, at) =>
        Effect.sync(() => {
          const kept = find(of)
          if (kept?.uploading !== true) return Option.none()
          const made = { ...kept.import, bytesTotal, uploadedAt: at }
          imports.set(of.id, { ...kept, import: made, uploading: false })
          const { deviceId: id, tokenHash, userId } = of
          const name = Device.DeviceName.make(of.fileName)
          devices.set(id, { userId, id, name, format: "json", tokenHash, createdAt: at, ...Device.INITIAL })
          importDevices.set(id, null)
          return Option.some(made)
        }),

      list: (userId, limit) =>
        Effect.sync(() =>
          [...imports.values()]
            .flatMap(listed)
            .filter((one) => one.userId === userId)
            .sort((a, b) => b.uploadedAt - a.uploadedAt || (a.id < b.id ? 1 : -1))
            .slice(0, limit)
        ),

      find: (of) =>
        Effect.sync(() => Option.fromNullable(find(of)).pipe(Option.flatMapNullable((one) => listed(one)[0]))),

      remove: (of) =>
        Effect.sync(() => {
          if (find(of) === undefined) return false
          throwAway(of.id)
          return imports.delete(of.id)
        }),

      due: (buckets, now, besides) =>
        Effect.sync(() => {
          const [due] = [...imports.values()]
            .filter((one) => isDue(one, now) && buckets.includes(bucketOf(one.import.userId)))
            .filter((one) => !besides.includes(one.import.userId))
            .sort((a, b) => a.import.uploadedAt - b.import.uploadedAt)
          return Option.map(Option.fromNullable(due), ({ import: { id, userId } }) => ({ userId, id }))
        }),

      claim: (leased, now, dueAt) =>
        Effect.sync(() => {
          const due = find(leased)
          if (due === undefined || !isDue(due, now)) return Option.none()
          const attempts = due.attempts + 1
          const running = { ...due.import, state: "running" as const }
          imports.set(running.id, { import: running, uploading: false, lease: leased.lease, dueAt, attempts })
          return Option.some({ import: running, attempt: attempts })
        }),

      renew: (leased, dueAt) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept === undefined) return false
          imports.set(leased.id, { ...kept, dueAt })
          return true
        }),

      piece: (of, position) =>
        Effect.sync(() =>
          find(of) === undefined ? Option.none() : Option.fromNullable(importPieces.get(`${of.id} ${position}`))
        ),

      advance: (read) =>
        Effect.sync(() => {
          const kept = held(read)
          if (kept === undefined) return false
          const { erased, ...history } = withoutErased(read, tables.erasures.get(read.userId) ?? [])
          const step = { ...read, ...history, tooOld: read.tooOld + erased }
          const { leftOut, stored } = store(tables, kept.import, step)
          const { counts } = kept.import
          imports.set(step.id, {
            ...kept,
            import: {
              ...kept.import,
              format: step.format ?? kept.import.format,
              leftOut: [...kept.import.leftOut, ...leftOut].slice(0, MOST_NAMED),
              bytesDone: Math.max(kept.import.bytesDone, step.bytesDone),
              counts: {
                read: counts.read + step.read,
                stored: counts.stored + stored,
                duplicates:
                  counts.duplicates +
                  step.fixes.length +
                  step.visits.length +
                  step.places.length +
                  step.notices.length -
                  stored -
                  leftOut.length,
                overLimit: counts.overLimit + leftOut.length,
                tooRecent: counts.tooRecent + step.tooRecent,
                tooOld: counts.tooOld + step.tooOld,
                quarantined: counts.quarantined + step.quarantined
              }
            },
            attempts: step.read > 0 ? 0 : kept.attempts
          })
          return true
        }),

      finish: (leased, error, at) =>
        Effect.sync(() => {
          const kept = held(leased)
          if (kept === undefined) return false
          const state = error === null ? ("done" as const) : ("failed" as const)
          imports.set(leased.id, {
            ...kept,
            import: { ...kept.import, state, error, finishedAt: at },
            lease: null,
            dueAt: null
          })
          throwAway(leased.id)
          return true
        }),

      dropBrokenOff: (before) =>
        Effect.sync(() => {
          const broken = [...imports.values()].filter((one) => one.uploading && one.import.uploadedAt < before)
          for (const { import: one } of broken) {
            throwAway(one.id)
            imports.delete(one.id)
          }
          return broken.length
        })
    })
  })
)

const isDue = ({ dueAt, import: one, uploading }: KeptImport, now: Timestamp.Timestamp): boolean =>
  !uploading && isOpen(one) && (dueAt ?? now) <= now

const isOpen = ({ state }: Import): boolean => state === "waiting" || state === "running"

/** Stores the entries of a step; returns how many of them the user did not have yet, and which places had no room. */
const store = (tables: Tables, { deviceId }: Import, { at, fixes, notices, places, userId, visits }: ImportStep) => {
  const { importDevices, staysDueFrom, streamVersions } = tables
  const endsWith = (at: Timestamp.Timestamp): void =>
    void importDevices.set(deviceId, Timestamp.make(Math.max(importDevices.get(deviceId) ?? at, at)))
  const before = tables.fixes.size + tables.visitReports.size + tables.places.size
  const leftOut: Array<string> = []
  for (const one of places) {
    if ([...tables.places.values()].some((known) => known.userId === userId && isSame(one, known))) continue
    const owned = [...tables.places.values()].filter(
      (known) => known.userId === userId && (known.archivedAt === null) === (one.place.archivedAt === null)
    ).length
    if (owned >= limitOf(one.place).most) {
      leftOut.push(one.place.label)
      continue
    }
    MemoryPlaceStore.insert(tables, one.place, one.shapes)
  }
  const known = new Set([...tables.fixes.values()].filter((fix) => fix.userId === userId).map(Fix.key))
  for (const fix of fixes) {
    if (known.has(Fix.key(fix))) continue
    known.add(Fix.key(fix))
    tables.fixes.set(`${userId} ${deviceId} ${Fix.key(fix)}`, { ...fix, userId, deviceId, receivedAt: at })
    endsWith(fix.capturedAt)
    staysDueFrom.set(deviceId, Timestamp.make(Math.min(staysDueFrom.get(deviceId) ?? fix.capturedAt, fix.capturedAt)))
  }
  const seen = new Set([...tables.visitReports.values()].filter((one) => one.userId === userId).map(VisitReport.key))
  for (const visit of visits) {
    const key = VisitReport.key(visit)
    if (seen.has(key)) continue
    seen.add(key)
    tables.visitReports.set(`${userId} ${deviceId} ${key}`, { ...visit, userId, deviceId })
    const last = visit.departure ?? visit.arrival
    if (last !== null) endsWith(last)
  }
  if (fixes.length + visits.length + places.length > 0)
    streamVersions.set(userId, (streamVersions.get(userId) ?? 0) + 1)
  const chosen = tables.noticeChoices.get(userId) ?? []
  const together = [...new Set([...chosen, ...notices])].sort()
  if (together.length > chosen.length) tables.noticeChoices.set(userId, together)
  return {
    leftOut,
    stored: together.length - chosen.length + tables.fixes.size + tables.visitReports.size + tables.places.size - before
  }
}
