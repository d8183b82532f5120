import { Schema } from "effect"
import type { DeviceId, UserId } from "../shared/Ids.js"
import { line } from "../shared/Text.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"

/** What the phone's app speaks; the set-up shown to the user follows from it. `json` is our own. */
export const Format = Schema.Literal("overland", "owntracks", "osmand", "gpslogger", "json")
export type Format = typeof Format.Type

export const Name = line(1, 60).pipe(Schema.brand("DeviceName"))
export type Name = typeof Name.Type

/** A phone that may upload for one user. Its token is shown once; only the SHA-256 is kept. */
export interface Device {
  readonly userId: UserId
  readonly id: DeviceId
  readonly name: Name
  readonly format: Format
  readonly tokenHash: Hash
  readonly createdAt: Timestamp
  readonly lastSeenAt: Timestamp | null
  readonly removedAt: Timestamp | null
}
