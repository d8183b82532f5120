// A phone that uploads for one user (decision devices-1).
import { Schema } from "effect"
import { brand } from "../shared/Errors.js"
import type { QuarantineReason } from "./QuarantineReason.js"
import type { DeviceId, Timestamp, UserId, Vault } from "../shared/index.js"
import { line } from "../shared/Text.js"
import type { Movement } from "./Movement.js"

/**
 * The upload protocol of the phone's app. The set-up instructions depend on it. `json` is this service's own protocol.
 * `browser` is a page of this service that sends `json` while the page is open (decision devices-15).
 */
export const PhoneFormat = Schema.Literal("overland", "owntracks", "traccar", "osmand", "gpslogger", "browser", "json")
export type PhoneFormat = typeof PhoneFormat.Type

/** What the code needs to know about a phone format, in addition to how its uploads are read. */
export interface PhoneFormatProperties {
  /**
   * What sends the uploads: an app of the phone, the service's own page, which sends only while it is open, or a
   * program that the owner of the phone wrote.
   */
  readonly sender: "app" | "page" | "program"
  /** Whether the phone's app fetches its settings from a set-up link, which works once (decision devices-14). */
  readonly hasSetupLink: boolean
}

/**
 * The properties of each phone format. Code that treats formats differently reads this table, and does not compare a
 * format with a name. So when somebody adds a format, the compiler asks for the properties of the new format here.
 */
export const PROPERTIES: Readonly<Record<PhoneFormat, PhoneFormatProperties>> = {
  overland: { sender: "app", hasSetupLink: false },
  owntracks: { sender: "app", hasSetupLink: false },
  traccar: { sender: "app", hasSetupLink: false },
  osmand: { sender: "app", hasSetupLink: false },
  gpslogger: { sender: "app", hasSetupLink: true },
  browser: { sender: "page", hasSetupLink: false },
  json: { sender: "program", hasSetupLink: false }
}

export const DeviceName = line(1, 60).pipe(brand("DeviceName"))
export type DeviceName = typeof DeviceName.Type

/** How many readings and visit reports of a phone could not be used, for one reason. */
export interface QuarantineEntry {
  readonly reason: QuarantineReason
  /** The entries of every upload are counted, so a reading or report that the phone sends again is counted again. */
  readonly count: number
  readonly lastAt: Timestamp.Timestamp
}

/** The order of `Device.putAside`: latest first; entries of the same time are ordered by reason. */
export const latestFirst = (a: QuarantineEntry, b: QuarantineEntry): number =>
  b.lastAt - a.lastAt || (a.reason < b.reason ? -1 : a.reason > b.reason ? 1 : 0)

/**
 * A phone that may upload for one user. Its token is shown when the phone is added. A device is stored with
 * the token's SHA-256 and without the token.
 */
export interface Device {
  readonly userId: UserId
  readonly id: DeviceId
  readonly name: DeviceName
  readonly format: PhoneFormat
  readonly tokenHash: Vault.Hash
  readonly createdAt: Timestamp.Timestamp
  readonly lastSeenAt: Timestamp.Timestamp | null
  /** When the phone last sent something usable. Null: never, or not since the service stores this time. */
  readonly lastKeptAt: Timestamp.Timestamp | null
  /** At most one entry for a reason, latest first. */
  readonly putAside: ReadonlyArray<QuarantineEntry>
  /**
   * The owner's mark that this device stays at home (decision M14). If another device without this mark has ever sent
   * something, the readings of this device are stored, but rules and answers do not use them.
   */
  readonly staysAtHome: boolean
  /**
   * Null until the device sends a reading, and when its newest reading is older than the history that the user keeps.
   */
  readonly movement: Movement | null
  readonly removedAt: Timestamp.Timestamp | null
  /** The link at which the phone's app may fetch its settings once; null: there is none, or it was used. */
  readonly setupLink: SetupLink | null
}

export interface SetupLink {
  /** SHA-256 of the key of the set-up link. */
  readonly hash: Vault.Hash
  readonly until: Timestamp.Timestamp
}

/** The state of a new device, which has sent nothing. */
export const INITIAL = {
  lastSeenAt: null,
  lastKeptAt: null,
  putAside: [],
  staysAtHome: false,
  movement: null,
  removedAt: null,
  setupLink: null
} as const satisfies Partial<Device>
