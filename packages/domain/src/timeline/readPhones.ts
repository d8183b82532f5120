import { type Device, listDevices, Silence } from "../devices/index.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { program, Timestamp, type UserId } from "../shared/index.js"

/** A device, with the facts that its owner wants first: whether it works, and how exact its locations are. */
export interface OwnPhone {
  readonly device: Device.Device
  readonly silence: Silence.Silence
  /**
   * The accuracy of the device's newest location in metres; null when it is unknown, or when the newest `READINGS`
   * readings have no location of this device.
   */
  readonly accuracyM: number | null
  readonly troubles: ReadonlyArray<Silence.Trouble>
}

/**
 * `readPhones` looks for each phone's newest location in this many of the user's newest readings. A phone
 * that sends much less than the user's other phones has no reading among these, and the page shows no accuracy for it.
 */
const READINGS = 50

/** The user's phones, oldest first (decision devices-13). */
export const readPhones = program("readPhones", function* (userId: UserId) {
  const now = yield* Timestamp.now
  const devices = yield* listDevices(userId)
  const newest = yield* (yield* FixHistory).newest(userId, now, { from: null, until: null }, READINGS)
  return {
    now,
    phones: devices.map((device): OwnPhone => {
      const accuracyM = newest.find(({ deviceId }) => deviceId === device.id)?.accuracyM ?? null
      return {
        device,
        silence: Silence.of(device.lastSeenAt, now),
        accuracyM,
        troubles: Silence.troubles(device, accuracyM, now)
      }
    })
  }
})
