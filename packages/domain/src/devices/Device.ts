import { Schema } from "effect"
import type { QuarantineReason } from "../fixes/Fix.js"
import type { DeviceId, UserId } from "../shared/Ids.js"
import { line } from "../shared/Text.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { Movement } from "./Movement.js"

/** What the phone's app speaks; the set-up shown to the user follows from it. `json` is our own. */
export const Format = Schema.Literal("overland", "owntracks", "osmand", "gpslogger", "json")
export type Format = typeof Format.Type

export const Name = line(1, 60).pipe(Schema.brand("DeviceName"))
export type Name = typeof Name.Type

/** What a phone sent and could not be taken, for one reason. */
export interface PutAside {
  readonly reason: QuarantineReason
  /** As often as it was sent: what a phone repeats counts again. */
  readonly count: number
  readonly lastAt: Timestamp
}

/** The latest first; of one time by reason. */
export const latestFirst = (a: PutAside, b: PutAside): number =>
  b.lastAt - a.lastAt || (a.reason < b.reason ? -1 : a.reason > b.reason ? 1 : 0)

/** A phone that may upload for one user. Its token is shown once; only the SHA-256 is kept. */
export interface Device {
  readonly userId: UserId
  readonly id: DeviceId
  readonly name: Name
  readonly format: Format
  readonly tokenHash: Hash
  readonly createdAt: Timestamp
  readonly lastSeenAt: Timestamp | null
  /** When it last sent something that could be kept; null: never, or not since this is written down. */
  readonly lastKeptAt: Timestamp | null
  /** What could not be taken, one entry for a reason at most, the latest first. */
  readonly putAside: ReadonlyArray<PutAside>
  /** Its owner said that it is not carried: it decides nothing while another device does (decision M14). */
  readonly staysAtHome: boolean
  /** Null until it sent a reading, and once the owner's choice of history has passed over its newest one. */
  readonly movement: Movement | null
  readonly removedAt: Timestamp | null
}

/** The state of a device that was just added: it sent nothing. */
export const INITIAL = {
  lastSeenAt: null,
  lastKeptAt: null,
  putAside: [],
  staysAtHome: false,
  movement: null,
  removedAt: null
} as const satisfies Partial<Device>
