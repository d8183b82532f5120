import * as History from "../retention-choice/History.js"
import type { DeviceId } from "../shared/Ids.js"
import { DAY, HOUR, type Timestamp } from "../shared/Timestamp.js"
import * as Movement from "./Movement.js"

/**
 * Decides which of a person's devices are with the person (decision M14). Decisions devices-4 and devices-6.
 *
 * For example, a tablet stays at home while its owner walks away with the phone. Both devices upload, so the owner
 * would seem to jump between two places. Therefore a reading of a device that was left behind is stored as history
 * only: no rule and no presence uses this reading, and for visits it is outside of every place (`StayFix`). The owner
 * can mark a device as staying at home. Of the other devices, the device that moved last is with its owner. Any device
 * that is somewhere else counts as left behind until it moves.
 */

/** The facts about one device of a person. `judge` compares the facts of all devices of the person. */
export interface Companion {
  readonly id: DeviceId
  /** Whether the owner marked this device as staying at home. */
  readonly staysAtHome: boolean
  /** When `FixStore.commit` last stored an upload of the device; null: never. */
  readonly lastSeenAt: Timestamp | null
  /** Null until the device sends a reading, and when `remembered` has dropped the movement. */
  readonly movement: Movement.Movement | null
}

/**
 * Milliseconds. A device that sent no reading for this long is not compared with the other devices, because it may be
 * lost or without power.
 */
export const SILENCE = DAY

/**
 * Milliseconds. A reading can be late: captured before another device last moved, and uploaded after that move. A late
 * reading counts as carried when its own device had moved less than this time before the capture.
 */
export const REST = HOUR

/** Drops movements that are older than the history that the user keeps (`History.cutoff`). */
export const remembered = (devices: ReadonlyArray<Companion>, cutoff: Timestamp | null): ReadonlyArray<Companion> =>
  cutoff === null
    ? devices
    : devices.map((one) =>
        one.movement !== null && History.isPast(one.movement.heardAt, cutoff) ? { ...one, movement: null } : one
      )

/** The readings of an upload, divided into those of a carried device and those of a device that was left behind. */
export interface CarriedUpload<A extends Movement.MovementFix> {
  /** The readings that rules and answers use, in the order of capture. */
  readonly carried: ReadonlyArray<A>
  readonly leftBehind: ReadonlySet<A>
  /** The device's movement after the upload. */
  readonly movement: Movement.Movement | null
}

/**
 * Decides for each reading of an upload whether its device was carried, with the movements that are known when the
 * upload arrives. `fixes` are new and in the order of `Fix.byCapture`. `devices` are all devices of the person, this
 * one included.
 */
export const judge = <A extends Movement.MovementFix>(
  id: DeviceId,
  devices: ReadonlyArray<Companion>,
  fixes: ReadonlyArray<A>
): CarriedUpload<A> => {
  const own = devices.find((one) => one.id === id)
  const rivals = own?.staysAtHome === true ? [] : rivalsOf(id, devices)
  const isKept = isKeptAtHome(id, devices)
  const leftBehind = new Set<A>()
  let movement = own?.movement ?? null
  for (const fix of fixes) {
    movement = Movement.step(movement, fix)
    if (isKept || isElsewhere(fix, movement.movedAt, rivals)) leftBehind.add(fix)
  }
  return { carried: leftBehind.size === 0 ? fixes : fixes.filter((fix) => !leftBehind.has(fix)), leftBehind, movement }
}

/**
 * Whether the readings of this device can show that the person moves: the device is not marked as staying at home, and
 * has sent something. A phone that never sent anything may not be set up yet.
 */
export const mayShowMovement = ({ lastSeenAt, staysAtHome }: Pick<Companion, "lastSeenAt" | "staysAtHome">): boolean =>
  !staysAtHome && lastSeenAt !== null

/**
 * Whether this device is marked as staying at home while another device is not marked and has sent something. A
 * person's only device counts as carried, and when all devices are marked, all count as carried.
 */
const isKeptAtHome = (id: DeviceId, devices: ReadonlyArray<Companion>): boolean =>
  devices.some((own) => own.id === id && own.staysAtHome) &&
  devices.some((other) => other.id !== id && mayShowMovement(other))

interface Rival extends Movement.Movement {
  readonly movedAt: Timestamp
}

/** The person's other devices that are not marked as staying at home and have moved at least once. */
const rivalsOf = (id: DeviceId, devices: ReadonlyArray<Companion>): ReadonlyArray<Rival> =>
  devices.flatMap(({ id: other, movement, staysAtHome }) =>
    other === id || staysAtHome || movement === null || movement.movedAt === null
      ? []
      : [{ ...movement, movedAt: movement.movedAt }]
  )

/** Whether another device moved last and is somewhere else. `movedAt` is when the reading's own device moved last. */
const isElsewhere = (fix: Movement.MovementFix, movedAt: Timestamp | null, all: ReadonlyArray<Rival>): boolean => {
  const rivals = all.filter(({ heardAt }) => fix.capturedAt - heardAt <= SILENCE)
  if (rivals.length === 0) return false
  const lastMoved = Math.max(...rivals.map((rival) => rival.movedAt))
  if (movedAt !== null && movedAt >= lastMoved) return false
  // The reading may be a late upload of a second carried device. The later move of the other device does not show where
  // this device was at the time of the reading.
  if (movedAt !== null && fix.capturedAt < lastMoved && fix.capturedAt - movedAt < REST) return false
  // When two devices moved last at the same instant, the reading is not elsewhere if it is near one of these devices.
  return rivals.every((rival) => rival.movedAt !== lastMoved || isApartFrom(rival, fix))
}

/**
 * Whether the reading is away from the other device's newest position, or from the spot where that device rests. While
 * a device rests, its newest position may be some distance away from its spot. If only the spot counted, two devices on
 * different sides of the edge of a circle could both count as carried, and rules would fire again and again. If only
 * the newest position counted, one imprecise reading of the phone would make a tablet that is far away count as
 * carried. When the owner deleted the position of the other device, the reading counts as away until the other device
 * sends again: otherwise rules would fire for a tablet at home.
 */
const isApartFrom = ({ last, spot }: Movement.Movement, fix: Movement.MovementFix): boolean =>
  !Movement.isKnown(last) || Movement.isAway(last, fix) || Movement.isAway(spot, fix)
