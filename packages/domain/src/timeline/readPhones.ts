import { type Device, listDevices, Silence } from "../devices/index.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { program, Timestamp, type UserId } from "../shared/index.js"

/** A device with what its owner asks first: does it work, and how exact is it? */
export interface OwnPhone {
  readonly device: Device.Device
  readonly silence: Silence.Silence
  /** The accuracy of its newest location in metres; null: not known, or the location is not among the newest. */
  readonly accuracyM: number | null
  readonly troubles: ReadonlyArray<Silence.Trouble>
}

/** One bounded read finds the newest location of each phone in use. A phone that others outnumber shows no accuracy. */
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
