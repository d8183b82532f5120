import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Tables } from "../MemoryDatabase.js"

/**
 * Makes the stays of the user's devices due for derivation from the time `from` on. An imported file whose newest entry
 * is before `from` is left out, because this file has nothing to derive after its newest entry.
 */
export const oweStays = (tables: Tables, userId: UserId, from: Timestamp.Timestamp): void => {
  const { devices, importDevices, staysDueFrom } = tables
  for (const { id, userId: owner } of devices.values()) {
    if (owner !== userId || (importDevices.get(id) ?? from) < from) continue
    staysDueFrom.set(id, Timestamp.make(Math.min(staysDueFrom.get(id) ?? from, from)))
  }
}
