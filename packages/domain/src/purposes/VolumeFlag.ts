// A sign that an app reads more than it announced (decision purposes-5).
import type { AppId, ConnectionId, PurposeId, UserId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import type { PurposeKey } from "./Purpose.js"

/**
 * The warning that an app, in one day, asked for a user's coordinates more than `FACTOR` times as often as its purpose
 * announced (Spec §8). No call is refused because of the warning.
 */
export interface VolumeFlag {
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly purposeId: PurposeId
  readonly purposeKey: PurposeKey
  /** The number of answered calls from `from` (inclusive) until `to` (exclusive), as counted when the flag was made. */
  readonly calls: number
  /** The expected calls a day in the last approved terms, or in the newest terms when no terms were approved. */
  readonly expectedDailyVolume: number
  readonly from: Timestamp
  readonly to: Timestamp
}

/** An app is flagged when it makes more calls than the expected volume times this number. */
export const FACTOR = 2

/**
 * The window that is counted at `now`: exactly a day (decisions T2, T4). `from` is inclusive and `to` exclusive, so two
 * adjoining windows count no call twice.
 */
export const window = (now: Timestamp): Pick<VolumeFlag, "from" | "to"> => ({ from: plus(now, -DAY), to: now })
