import { type Device, listDevices, Sending, Silence } from "../devices/index.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { listErasures } from "../retention-choice/index.js"
import { type DeviceId, NotFound, program, Timestamp, type UserId } from "../shared/index.js"

/**
 * A device, with the facts that are most important for its owner: whether it works, and how exact its locations are.
 */
export interface OwnPhone {
  readonly device: Device.Device
  readonly silence: Silence.Silence
  /**
   * The accuracy of the device's newest location in metres; null when it is unknown, or when this device has no
   * location among the readings that `readPhones` reads (`READINGS`).
   */
  readonly accuracyM: number | null
  readonly troubles: ReadonlyArray<Silence.Trouble>
}

/**
 * How many of the user's newest readings `readPhones` reads, to find each phone's newest location. Readings of a device
 * that was left behind are not read. So a phone that was left behind, or that sends much less than the user's other
 * phones, may have no location among these readings. The page then shows no accuracy for this phone.
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

/**
 * How often one of the user's phones sent readings in the last 24 hours (decision devices-16). Fails with `NotFound`
 * for an unknown phone.
 */
export const readSending = program("readSending", function* (userId: UserId, id: DeviceId) {
  const now = yield* Timestamp.now
  const device = (yield* listDevices(userId)).find((one) => one.id === id)
  if (device === undefined) return yield* new NotFound({ what: "device" })
  const bounds = { lateMs: Sending.LATE_AFTER, silentMs: Sending.SILENT_AFTER }
  const sent = yield* (yield* FixHistory).sent(userId, id, now, Sending.edges(now), bounds)
  return Sending.of(device, sent, now, yield* listErasures(userId))
})
