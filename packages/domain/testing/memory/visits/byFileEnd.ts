import type { DeviceId } from "../../../src/shared/Ids.js"
import type { Timestamp } from "../../../src/shared/Timestamp.js"
import type { Tables } from "../MemoryDatabase.js"

/**
 * The departure of a stay of this device, as stores return it. Null: the stay is open. A stay of an imported file ends
 * with the file's newest entry at the latest (decision visits-6). This is so even if the store has no departure for the
 * stay, or has a later departure because the owner deleted a stretch of history.
 */
export const byFileEnd = (
  { importDevices }: Pick<Tables, "importDevices">,
  deviceId: DeviceId,
  departure: Timestamp | null
): Timestamp | null => {
  const end = importDevices.get(deviceId) ?? null
  return end === null || (departure !== null && departure < end) ? departure : end
}
