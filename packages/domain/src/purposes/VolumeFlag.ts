import type { AppId, ConnectionId, PurposeId, UserId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import type { Key } from "./Purpose.js"

/**
 * An app asked about one user, under one purpose, much more in a day than the purpose said that it would need (Spec §8). For
 * people to look at; no call is ever refused for it.
 */
export interface VolumeFlag {
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly purposeId: PurposeId
  readonly purposeKey: Key
  /** Answered calls from `from` to `to`, both inclusive: as many as there were when it was noticed. */
  readonly calls: number
  /** What the wording that counted then said. */
  readonly expectedDailyVolume: number
  readonly from: Timestamp
  readonly to: Timestamp
}

/** How many times the expected volume is too much; exactly as many are not. */
export const FACTOR = 2

/** What is counted at `now`: exactly a day (decisions T2, T4). */
export const window = (now: Timestamp): Pick<VolumeFlag, "from" | "to"> => ({ from: plus(now, -DAY), to: now })
