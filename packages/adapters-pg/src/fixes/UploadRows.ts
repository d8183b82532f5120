// Rows of uploads that are committed together, for `uploadStatement` and `uploadOnCluster`.
import type { Device, Movement } from "@place-access/domain/devices"
import type { Fix, StoredUpload } from "@place-access/domain/fixes"
import type { DeviceId, Timestamp } from "@place-access/domain/shared"

type Uploads = ReadonlyArray<StoredUpload>

/** A fix to insert. */
export interface FixRow {
  readonly deviceId: DeviceId
  readonly receivedAt: Timestamp.Timestamp
  readonly isLeftBehind: boolean
  readonly fix: Fix.Fix
}

/**
 * The fixes of all uploads. Each fix occurs once. A reading that an upload takes out of the quarantine may be stored as
 * a fix already; then the INSERT adds no row for it.
 */
export const fixesOf = (uploads: Uploads): ReadonlyArray<FixRow> =>
  uploads.flatMap(({ arrivals, deviceId, fixes, leftBehind, receivedAt }) =>
    fixes.map((fix) => ({
      deviceId,
      receivedAt: arrivals.get(fix) ?? receivedAt,
      isLeftBehind: leftBehind.has(fix),
      fix
    }))
  )

/** The changes that the uploads of one commit make to the row of one device. */
export interface DeviceChange {
  readonly deviceId: DeviceId
  readonly seenAt: Timestamp.Timestamp
  /** When the last upload with fixes or visits arrived; null: no upload has any. */
  readonly keptAt: Timestamp.Timestamp | null
  /** When the first upload with visits arrived; null: no upload has visits. */
  readonly visitsAt: Timestamp.Timestamp | null
  /** Null: unchanged. */
  readonly movement: Movement.Movement | null
  /**
   * How many readings and reports were put aside: at most one count for each reason, with the arrival of the last
   * reading or report. These counts are added to the device's counts.
   */
  readonly putAside: Device.Device["putAside"]
  /** The earliest capture time of a new fix; null: no upload has fixes. */
  readonly fixesFrom: Timestamp.Timestamp | null
}

/** The changes of all devices that sent these uploads, one for each device. */
export const devicesOf = (uploads: Uploads): ReadonlyArray<DeviceChange> => {
  const changes = new Map<DeviceId, DeviceChange>()
  for (const upload of uploads) {
    const before = changes.get(upload.deviceId)
    changes.set(upload.deviceId, before === undefined ? changeOf(upload) : after(before, changeOf(upload)))
  }
  return [...changes.values()]
}

const changeOf = ({ deviceId, fixes, movement, putAside, receivedAt, visits }: StoredUpload): DeviceChange => ({
  deviceId,
  seenAt: receivedAt,
  keptAt: fixes.length + visits.length === 0 ? null : receivedAt,
  visitsAt: visits.length === 0 ? null : receivedAt,
  movement,
  putAside: putAside.map(({ count, reason }) => ({ reason, count, lastAt: receivedAt })),
  fixesFrom: fixes.reduce<Timestamp.Timestamp | null>(
    (first, { capturedAt }) => either(earlier, first, capturedAt),
    null
  )
})

const after = (before: DeviceChange, next: DeviceChange): DeviceChange => {
  const counts = new Map(before.putAside.map((one) => [one.reason, one]))
  for (const one of next.putAside) {
    const known = counts.get(one.reason)
    const sum =
      known === undefined ? one : { ...one, count: known.count + one.count, lastAt: later(known.lastAt, one.lastAt) }
    counts.set(one.reason, sum)
  }
  return {
    deviceId: before.deviceId,
    seenAt: later(before.seenAt, next.seenAt),
    keptAt: either(later, before.keptAt, next.keptAt),
    visitsAt: before.visitsAt ?? next.visitsAt,
    movement: next.movement ?? before.movement,
    putAside: [...counts.values()],
    fixesFrom: either(earlier, before.fixesFrom, next.fixesFrom)
  }
}

type Choice = (a: Timestamp.Timestamp, b: Timestamp.Timestamp) => Timestamp.Timestamp

const later: Choice = (a, b) => (b > a ? b : a)
const earlier: Choice = (a, b) => (b < a ? b : a)

/**
 * Returns one of two times, each of which may be null. If one of them is null, returns the other; otherwise returns the
 * one that `choice` chooses.
 */
const either = (choice: Choice, a: Timestamp.Timestamp | null, b: Timestamp.Timestamp | null) =>
  a === null || b === null ? (a ?? b) : choice(a, b)
