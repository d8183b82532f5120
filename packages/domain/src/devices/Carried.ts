import * as History from "../history/History.js"
import type { DeviceId } from "../shared/Ids.js"
import { DAY, HOUR, type Timestamp } from "../shared/Timestamp.js"
import * as Movement from "./Movement.js"

/**
 * Which of one person's devices are with the person (decision M14).
 *
 * A tablet stays at home while its owner walks away with the phone. Both send where they are, and taken together they say that the
 * owner jumps to and fro. So a reading of a device that was left behind is history, and decides nothing: neither rules nor
 * presence nor visits. The owner can say of a device that it stays at home; of the others, the one that moved last is with its
 * owner, and a device elsewhere was left behind until it moves.
 */

/** A device as its person's other devices know it. */
export interface Companion {
  readonly id: DeviceId
  /** Its owner said that it stays at home. */
  readonly staysAtHome: boolean
  /** Null until it sent something. */
  readonly lastSeenAt: Timestamp | null
  /** Null until it sent a reading. */
  readonly movement: Movement.Movement | null
}

/** A device that was silent for so long before a reading has no say about the reading: it may be lost, or its battery empty. */
export const SILENCE = DAY

/** A device that moved within so long before a late reading was still with its owner, for all that is known. */
export const REST = HOUR

/** Without what is past the owner's choice of history, `History.cutoff`: nothing decides by it. */
export const remembered = (devices: ReadonlyArray<Companion>, cutoff: Timestamp | null): ReadonlyArray<Companion> =>
  cutoff === null
    ? devices
    : devices.map((one) =>
        one.movement !== null && History.isPast(one.movement.heardAt, cutoff) ? { ...one, movement: null } : one
      )

/** What an upload says of its device. */
export interface Judged<A extends Movement.Sighting> {
  /** Those that decide, in their order. */
  readonly carried: ReadonlyArray<A>
  readonly leftBehind: ReadonlySet<A>
  /** After the upload. */
  readonly movement: Movement.Movement | null
}

/**
 * Judges each reading of an upload by what is known at its arrival. `fixes` are new and in the order of `Fix.byCapture`; `devices` are
 * those of the person, this one among them.
 */
export const judge = <A extends Movement.Sighting>(
  id: DeviceId,
  devices: ReadonlyArray<Companion>,
  fixes: ReadonlyArray<A>
): Judged<A> => {
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
 * Whether the device stays at home while another one is carried that has sent something. The only device of a person is believed
 * wherever it stays, and so are all when all stay.
 */
const isKeptAtHome = (id: DeviceId, devices: ReadonlyArray<Companion>): boolean =>
  devices.some((own) => own.id === id && own.staysAtHome) &&
  devices.some((other) => other.id !== id && !other.staysAtHome && other.lastSeenAt !== null)

interface Rival extends Movement.Movement {
  readonly movedAt: Timestamp
}

/** The other devices that may be carried and that were seen moving. */
const rivalsOf = (id: DeviceId, devices: ReadonlyArray<Companion>): ReadonlyArray<Rival> =>
  devices.flatMap(({ id: other, movement, staysAtHome }) =>
    other === id || staysAtHome || movement === null || movement.movedAt === null
      ? []
      : [{ ...movement, movedAt: movement.movedAt }]
  )

/** Whether the device that moved last is another one, and somewhere else. `movedAt`: of the device of the reading. */
const isElsewhere = (fix: Movement.Sighting, movedAt: Timestamp | null, all: ReadonlyArray<Rival>): boolean => {
  const rivals = all.filter(({ heardAt }) => fix.capturedAt - heardAt <= SILENCE)
  if (rivals.length === 0) return false
  const lastMoved = Math.max(...rivals.map((rival) => rival.movedAt))
  if (movedAt !== null && movedAt >= lastMoved) return false
  // The track of a second carried device, uploaded late: that the other one moved afterwards says nothing of before.
  if (movedAt !== null && fix.capturedAt < lastMoved && fix.capturedAt - movedAt < REST) return false
  // Two devices that moved at one instant agree with whoever is at either.
  return rivals.every((rival) => rival.movedAt !== lastMoved || isApartFrom(rival, fix))
}

/**
 * From its newest position, or the two could fire to and fro; and from its spot, or one imprecise reading of the phone would give
 * a say to a tablet far away.
 */
const isApartFrom = ({ last, spot }: Movement.Movement, fix: Movement.Sighting): boolean =>
  Movement.isAway(last, fix) || Movement.isAway(spot, fix)

/** What decides of a fix. */
interface Sighting {
  readonly lat: number
  readonly lon: number
  readonly accuracyM: number | null
}

/** For stays: nobody is where a device is that was left behind, so a stay there is over. The point opposite on the globe. */
export const elsewhere = <A extends Sighting>(fix: A): A => ({
  ...fix,
  lat: -fix.lat,
  lon: fix.lon > 0 ? fix.lon - 180 : fix.lon + 180,
  accuracyM: null
})
