// A sign that an app reads more than it announced (decision purposes-5).
import type { AppId, ConnectionId, PurposeId, UserId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import type { PurposeKey } from "./Purpose.js"

/** An app asked far more about a user in a day than its purpose announced (Spec §8). No call is refused for it. */
export interface VolumeFlag {
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly purposeId: PurposeId
  readonly purposeKey: PurposeKey
  /** The calls with an answer from `from` to `to`, both inclusive, when the flag was made. */
  readonly calls: number
  /** The expected volume in the terms that were in force. */
  readonly expectedDailyVolume: number
  readonly from: Timestamp
  readonly to: Timestamp
}

/** More than this multiple of the expected volume is flagged. */
export const FACTOR = 2

/** The window that is counted at `now`: exactly a day (decisions T2, T4). */
export const window = (now: Timestamp): Pick<VolumeFlag, "from" | "to"> => ({ from: plus(now, -DAY), to: now })
