import { listDevices, Sending } from "../devices/index.js"
import { FixHistory } from "../fixes/FixHistory.js"
import { type DeviceId, NotFound, program, Timestamp, type UserId } from "../shared/index.js"

/**
 * How often one of the user's phones really sent readings in the last 24 hours (decision devices-16). `NotFound` for an
 * unknown phone.
 */
export const readSending = program("readSending", function* (userId: UserId, id: DeviceId) {
  const now = yield* Timestamp.now
  const device = (yield* listDevices(userId)).find((one) => one.id === id)
  if (device === undefined) return yield* new NotFound({ what: "device" })
  const bounds = { lateMs: Sending.LATE_AFTER, silentMs: Sending.SILENT_AFTER }
  return Sending.of(device, yield* (yield* FixHistory).sent(userId, id, now, Sending.edges(now), bounds), now)
})
