import type { DeviceId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import type { Tables } from "../MemoryDatabase.js"

/**
 * The departure of a stay of this device, as stores return it. Null: the stay is open. A stay of an imported file ends
 * with the file's newest entry at the latest, even if the stay is stored as open, or with a later departure because the
 * owner deleted a stretch of history (decision visits-6).
 */
export const byFileEnd = (
  { importDevices }: Pick<Tables, "importDevices">,
  deviceId: DeviceId,
  departure: Timestamp | null
): Timestamp | null => {
  const end = importDevices.get(deviceId) ?? null
  return end === null || (departure !== null && departure < end) ? departure : end
}
