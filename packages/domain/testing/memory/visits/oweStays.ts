import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Tables } from "../MemoryDatabase.js"

/**
 * Makes the stays of the user's devices due for derivation from the time `from` on. The stays of an imported file that
 * ended before stay as they are: the file has nothing to derive after its end.
 */
export const oweStays = (tables: Tables, userId: UserId, from: Timestamp.Timestamp): void => {
  const { devices, importDevices, staysDueFrom } = tables
  for (const { id, userId: owner } of devices.values()) {
    if (owner !== userId || (importDevices.get(id) ?? from) < from) continue
    staysDueFrom.set(id, Timestamp.make(Math.min(staysDueFrom.get(id) ?? from, from)))
  }
}
