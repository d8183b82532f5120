import type { DeviceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/**
 * Which of one person's devices are with the person (decision M14).
 *
 * A tablet stays at home while its owner walks away with the phone. Both send where they are, and taken together they say that the
 * owner jumps to and fro. What a device sends that its owner leaves at home is history, and decides nothing.
 */

/** A device as its person's other devices know it. */
export interface Companion {
  readonly id: DeviceId
  /** Its owner said that it stays at home. */
  readonly staysAtHome: boolean
  /** Null until it sent something. */
  readonly lastSeenAt: Timestamp | null
}

/**
 * Whether what the device sends is of a device that was left behind: it stays at home, and another one is carried that has sent
 * something. The only device of a person is believed wherever it stays, and so are all when all stay.
 */
export const isLeftBehind = (id: DeviceId, devices: ReadonlyArray<Companion>): boolean =>
  devices.some((own) => own.id === id && own.staysAtHome) &&
  devices.some((other) => other.id !== id && !other.staysAtHome && other.lastSeenAt !== null)

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
