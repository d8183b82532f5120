// Decides whether a phone works, for the page of its owner (decision devices-3).
import type { QuarantineReason } from "./QuarantineReason.js"
import type { Device } from "./Device.js"

/** Whether a phone sends usable readings. `put_aside`: the phone sends, but nothing of its last upload was usable. */
export type DeviceStatus =
  | { readonly state: "nothing_sent" }
  | { readonly state: "sending" }
  | { readonly state: "put_aside"; readonly reason: QuarantineReason }

/** The status of a phone. After an upload with both usable and unusable readings the phone is `sending`. */
export const of = ({ lastKeptAt, lastSeenAt, putAside }: Device): DeviceStatus => {
  const [latest] = putAside
  if (latest !== undefined && (lastKeptAt === null || latest.lastAt > lastKeptAt)) {
    return { state: "put_aside", reason: latest.reason }
  }
  return { state: lastSeenAt === null ? "nothing_sent" : "sending" }
}
