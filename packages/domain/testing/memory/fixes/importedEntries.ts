import * as Device from "../../../src/devices/Device.js"
import * as Fix from "../../../src/fixes/Fix.js"
import * as VisitReport from "../../../src/fixes/VisitReport.js"
import * as Imports from "../../../src/imports/Import.js"
import { alsoGrouped, grouped, type ImportedDevice } from "../../../src/imports/ImportedDevice.js"
import { isSame, limitOf } from "../../../src/imports/ImportedPlace.js"
import type { ImportStep } from "../../../src/imports/ImportStore.js"
import * as Months from "../../../src/imports/Months.js"
import * as Erasure from "../../../src/retention-choice/Erasure.js"
import type { DeviceId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as MemoryPlaceStore from "../rules/MemoryPlaceStore.js"
import type { Brought, Tables } from "../MemoryDatabase.js"
import { oweStays } from "../visits/oweStays.js"

/** These functions store, count and remove the entries of an import for `MemoryImportStore`. */

type Import = Imports.Import

/** The devices of an import: the import's own device, and for an archive also the devices of the archive. */
const devicesOf = ({ importParts }: Tables, { deviceId }: Pick<Import, "deviceId">): ReadonlyArray<DeviceId> => [
  deviceId,
  ...[...importParts].flatMap(([id, of]) => (of === deviceId ? [id] : []))
]

export const storedByMonth = (tables: Tables, one: Import): ReadonlyMap<string, number> => {
  const { fixes, visitReports } = tables
  const [own, { userId }] = [devicesOf(tables, one), one]
  const stored = new Map<string, number>()
  const add = (at: Timestamp.Timestamp | null): void => {
    const month = at === null ? null : Months.monthOf(at)
    if (month !== null) stored.set(month, (stored.get(month) ?? 0) + 1)
  }
  const isOwn = (one: { readonly userId: UserId; readonly deviceId: DeviceId }): boolean =>
    one.userId === userId && own.includes(one.deviceId)
  for (const fix of fixes.values()) if (isOwn(fix)) add(fix.capturedAt)
  for (const one of visitReports.values()) if (isOwn(one)) add(one.departure ?? one.arrival)
  return stored
}

/**
 * Notes that the file of the import device `deviceId` also has the fix or visit with the key `own`. For this it adds
 * `deviceId` to `alsoFrom` in each row that a device of `senders` has with this key. Returns false if no row had to be
 * changed.
 */
const noteSender = <A extends Brought>(
  rows: Map<string, A>,
  senders: Iterable<DeviceId>,
  { deviceId, own, userId }: { readonly userId: UserId; readonly deviceId: DeviceId; readonly own: string }
): boolean => {
  let isNoted = false
  for (const id of senders) {
    const key = `${userId} ${id} ${own}`
    const row = rows.get(key)
    if (row === undefined || id === deviceId || row.alsoFrom?.includes(deviceId) === true) continue
    rows.set(key, { ...row, alsoFrom: [...(row.alsoFrom ?? []), deviceId] })
    isNoted = true
  }
  return isNoted
}

/**
 * Removes a row of an import that is being undone. `own` is the key of the fix or visit, and `going` has the import's
 * devices. Another import may also have the fix or visit in its file. If this import still exists and is not being
 * undone, the row is stored under its device, and the function returns this device.
 */
const handOver = <A extends Brought & { readonly userId: UserId; readonly deviceId: DeviceId }>(
  { importDevices, importParts, imports }: Tables,
  rows: Map<string, A>,
  row: A,
  { going, own }: { readonly going: ReadonlyArray<DeviceId>; readonly own: string }
): DeviceId | undefined => {
  const { alsoFrom, deviceId, userId } = row
  rows.delete(`${userId} ${deviceId} ${own}`)
  // Two kinds of imports must not take the row over. The devices of a removed import still exist, but nobody could undo
  // that import any more. And an import that is being undone may already have passed the time of this row.
  const isOfImport = (id: DeviceId) =>
    importDevices.has(id) &&
    [...imports.values()].some(
      ({ import: one }) => one.deviceId === (importParts.get(id) ?? id) && one.state !== "undoing"
    )
  const heir = alsoFrom?.find((id) => !going.includes(id) && isOfImport(id))
  // The key contains the times of the visit. A deletion of history may have cut several visits so that their times are
  // now the same, so the import with the device `heir` may already have a row with this key.
  if (heir === undefined || rows.has(`${userId} ${heir} ${own}`)) return undefined
  rows.set(`${userId} ${heir} ${own}`, { ...row, deviceId: heir, alsoFrom: alsoFrom?.filter((id) => id !== heir) })
  return heir
}

export const undo = (tables: Tables, of: Import, after: Timestamp.Timestamp | null) => {
  const { id, userId } = of
  const going = devicesOf(tables, of)
  const own = [...tables.fixes.values()]
    .filter((one) => one.userId === userId && going.includes(one.deviceId))
    .filter((one) => after === null || one.capturedAt > after)
    .sort((a, b) => a.capturedAt - b.capturedAt)
  const last = own[Math.min(own.length, Imports.UNDO_STEP) - 1]?.capturedAt
  tables.streamVersions.set(userId, (tables.streamVersions.get(userId) ?? 0) + 1)
  const gone: Array<Fix.StoredFix> = []
  for (const fix of own) {
    if (last === undefined || fix.capturedAt > last) break
    const next = handOver(tables, tables.fixes, fix, { going, own: Fix.key(fix) })
    if (next === undefined) {
      gone.push(fix)
      continue
    }
    const shared = sharedIfFirst(tables, next)
    for (const at of [fix.capturedAt, ...shared]) {
      inherited(tables, next, at)
      deriveFrom(tables, next, at)
    }
  }
  eraseFromRemoved(tables, gone)
  if (last !== undefined) return last
  for (const visit of tables.visitReports.values()) {
    if (visit.userId !== userId || !going.includes(visit.deviceId)) continue
    const next = handOver(tables, tables.visitReports, visit, { going, own: VisitReport.key(visit) })
    if (next === undefined) continue
    const shared = sharedIfFirst(tables, next)
    const end = visit.departure ?? visit.arrival
    if (end !== null) inherited(tables, next, end)
    for (const at of shared) {
      inherited(tables, next, at)
      deriveFrom(tables, next, at)
    }
  }
  for (const [key, stay] of tables.stays) if (going.includes(stay.deviceId)) tables.stays.delete(key)
  for (const [key, row] of tables.stayBackfills) if (going.includes(row.deviceId)) tables.stayBackfills.delete(key)
  for (const deviceId of going) {
    tables.staysDueFrom.delete(deviceId)
    tables.devices.delete(deviceId)
    tables.importDevices.delete(deviceId)
    tables.importParts.delete(deviceId)
  }
  withdraw(tables, of)
  tables.imports.delete(id)
  return "gone"
}

/**
 * `gone` are the fixes that the undoing of an import deletes. An import that its owner removed before may have had the
 * same fixes, and its stays were also derived from them. Deletes the stays of the removed import that began from the
 * first to the last of these fixes, and makes its stays from the first of these fixes on due for derivation again. The
 * history of the removed import then ends with its newest entry that is left.
 */
const eraseFromRemoved = (tables: Tables, gone: ReadonlyArray<Fix.StoredFix>): void => {
  const shared = new Map<DeviceId, Array<Timestamp.Timestamp>>()
  for (const { alsoFrom, capturedAt } of gone) {
    for (const id of alsoFrom ?? []) shared.set(id, [...(shared.get(id) ?? []), capturedAt])
  }
  for (const [id, times] of shared) {
    const [first, last] = [Timestamp.make(Math.min(...times)), Timestamp.make(Math.max(...times))]
    const end = tables.importDevices.get(id) ?? null
    if (end === null) continue
    deriveFrom(tables, id, first)
    for (const [key, { arrival, deviceId }] of tables.stays) {
      if (deviceId === id && first <= arrival && arrival <= last) tables.stays.delete(key)
    }
    if (end > last) continue
    const fixes = [...tables.fixes.values()].flatMap(({ alsoFrom, capturedAt, deviceId }) =>
      deviceId === id || alsoFrom?.includes(id) === true ? [capturedAt] : []
    )
    const visits = [...tables.visitReports.values()].flatMap(({ arrival, departure, deviceId }) =>
      deviceId === id ? [departure ?? arrival ?? first] : []
    )
    const left = [...fixes, ...visits]
    tables.importDevices.set(id, left.length === 0 ? first : Timestamp.make(Math.max(...left)))
  }
}

/**
 * Removes the deleted stretches of history that the archive brought. Stays may then continue through the times of these
 * stretches, so the stays of all the user's devices become due for derivation.
 */
const withdraw = (tables: Tables, { id, userId }: Import): void => {
  const all = tables.erasures.get(userId) ?? []
  const own = all.filter(({ importId }) => importId !== id)
  const [first] = all.filter(({ importId }) => importId === id)
  if (first === undefined) return
  tables.erasures.set(userId, own)
  oweStays(tables, userId, first.from)
}

const inherited = ({ importDevices }: Tables, id: DeviceId, at: Timestamp.Timestamp): void =>
  void importDevices.set(id, Timestamp.make(Math.max(importDevices.get(id) ?? at, at)))

/**
 * Makes the device's stays due for derivation from the time `at` on, unless they are already due from an earlier time.
 */
const deriveFrom = ({ staysDueFrom }: Tables, id: DeviceId, at: Timestamp.Timestamp): void =>
  void staysDueFrom.set(id, Timestamp.make(Math.min(staysDueFrom.get(id) ?? at, at)))

/** The times of the fixes that the file of the device `id` has, but that are stored under another device. */
const sharedWith = ({ fixes }: Tables, id: DeviceId): ReadonlyArray<Timestamp.Timestamp> =>
  [...fixes.values()].flatMap(({ alsoFrom, capturedAt }) => (alsoFrom?.includes(id) === true ? [capturedAt] : []))

/**
 * The times of `sharedWith` if the import with the device `id` has no entry yet; otherwise an empty list. As soon as
 * the import has its first own entry, its stays are also derived from these fixes, which are stored under other devices
 * (decision imports-2).
 */
const sharedIfFirst = (tables: Tables, id: DeviceId): ReadonlyArray<Timestamp.Timestamp> =>
  (tables.importDevices.get(id) ?? null) === null ? sharedWith(tables, id) : []

/** Creates the device that stands for a device of the archive. Does nothing if this device exists already. */
const addPart = (
  tables: Tables,
  { deviceId, fileName, userId }: Import,
  part: ImportedDevice,
  at: Timestamp.Timestamp
) => {
  const { id, tokenHash } = part
  if (tables.devices.has(id)) return
  const name = Device.DeviceName.make(fileName)
  tables.devices.set(id, { userId, id, name, format: "json", tokenHash, createdAt: at, ...Device.INITIAL })
  tables.importDevices.set(id, null)
  tables.importParts.set(id, deviceId)
}

/**
 * Stores the entries of a step. Returns the number of new entries, and the labels of places that were left out because
 * the user already has as many places as the limit allows. `restored` is the number of deleted stretches that `restore`
 * added.
 */
export const store = (tables: Tables, of: Import, step: ImportStep, restored: number) => {
  const { at, notices, places, userId } = step
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
  // The groups of `alsoGrouped` only add devices to the fixes of `grouped`, so the groups of `grouped` must be stored
  // first.
  for (const { device, ...group } of [...grouped(step), ...alsoGrouped(step)]) {
    if (device !== undefined) addPart(tables, of, device, at)
    storeHistory(tables, { userId, deviceId: device?.id ?? of.deviceId }, group, at)
  }
  const chosen = tables.noticeChoices.get(userId) ?? []
  const together = [...new Set([...chosen, ...notices])].sort()
  if (together.length > chosen.length) tables.noticeChoices.set(userId, together)
  return {
    leftOut,
    stored:
      restored +
      together.length -
      chosen.length +
      tables.fixes.size +
      tables.visitReports.size +
      tables.places.size -
      before
  }
}

/**
 * Adds the deleted stretches of history that an archive contains. Must be called before the fixes of the archive are
 * stored. Returns the number of added stretches (decision exports-10).
 */
export const restore = (tables: Tables, { at: erasedAt, erasures, id: importId, userId }: ImportStep): number =>
  erasures.filter((one) => restoreOne(tables, userId, { ...one, erasedAt, importId })).length

/** Adds one deleted stretch. Returns false when the stretch must not be added (`Erasure.restored`). */
const restoreOne = (tables: Tables, userId: UserId, stretch: Erasure.Erasure): boolean => {
  const { from, until } = stretch
  const isOwn = (one: { readonly userId: UserId }) => one.userId === userId
  const hasHistory =
    [...tables.fixes.values()].some((one) => isOwn(one) && Erasure.covers(stretch, one.capturedAt)) ||
    [...tables.visitReports.values()].some(
      (one) =>
        isOwn(one) &&
        ((one.arrival !== null && Erasure.covers(stretch, one.arrival)) ||
          (one.departure !== null && one.departure > from && (one.arrival ?? one.departure) < until))
    )
  const all = Erasure.restored(tables.erasures.get(userId) ?? [], stretch, hasHistory)
  if (all === undefined) return false
  tables.erasures.set(userId, all)
  oweStays(tables, userId, from)
  return true
}

const storeHistory = (
  tables: Tables,
  { deviceId, userId }: { readonly userId: UserId; readonly deviceId: DeviceId },
  { fixes, visits }: Pick<ImportStep, "fixes" | "visits">,
  at: Timestamp.Timestamp
): void => {
  const { importDevices } = tables
  const isFirst = (importDevices.get(deviceId) ?? null) === null
  const fresh: Array<Timestamp.Timestamp> = []
  const repeated: Array<Timestamp.Timestamp> = []
  const known = new Set([...tables.fixes.values()].filter((fix) => fix.userId === userId).map(Fix.key))
  const senders = [...tables.devices.values()].flatMap((one) => (one.userId === userId ? [one.id] : []))
  const dueFrom: Array<Timestamp.Timestamp> = []
  for (const { alsoOf: _also, device: _, ...fix } of fixes) {
    const own = Fix.key(fix)
    if (known.has(own)) {
      if (noteSender(tables.fixes, senders, { userId, deviceId, own })) repeated.push(fix.capturedAt)
      continue
    }
    known.add(own)
    tables.fixes.set(`${userId} ${deviceId} ${own}`, { ...fix, userId, deviceId, receivedAt: at })
    fresh.push(fix.capturedAt)
    dueFrom.push(fix.capturedAt)
  }
  const seen = new Set([...tables.visitReports.values()].filter((one) => one.userId === userId).map(VisitReport.key))
  for (const { device: _, ...visit } of visits) {
    const key = VisitReport.key(visit)
    if (seen.has(key)) {
      noteSender(tables.visitReports, importDevices.keys(), { userId, deviceId, own: key })
      continue
    }
    seen.add(key)
    tables.visitReports.set(`${userId} ${deviceId} ${key}`, { ...visit, userId, deviceId })
    const last = visit.departure ?? visit.arrival
    if (last !== null) fresh.push(last)
  }
  if (isFirst && fresh.length === 0) return
  const shared = isFirst ? sharedWith(tables, deviceId) : repeated
  for (const last of [...fresh, ...shared]) inherited(tables, deviceId, last)
  for (const first of [...dueFrom, ...shared]) deriveFrom(tables, deviceId, first)
}
