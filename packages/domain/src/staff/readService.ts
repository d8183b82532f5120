import type { Account } from "../accounts/Account.js"
import { VolumeFlagStore } from "../purposes/VolumeFlagStore.js"
import * as Staff from "../reviews/Staff.js"
import { program, Timestamp } from "../shared/index.js"
import { ReviewStore } from "./ReviewStore.js"
import { type ServiceCounts, ServiceStore, WARNINGS_MAX } from "./ServiceStore.js"

export interface ServiceOverview extends ServiceCounts {
  /** New accounts, flags and leaks are counted for the last `days` days. */
  readonly days: number
  /** The number of volume flags of the last `DAYS` days; at most `WARNINGS_MAX`. */
  readonly volumeFlags: number
  /** The number of connections with a leak in the last `DAYS` days; at most `WARNINGS_MAX`. */
  readonly leaks: number
}

const DAYS = 7

/** The numbers of the service, for admins. Fails with `Forbidden` for others. */
export const readService = program("readService", function* (account: Account) {
  yield* Staff.requireAdmin(account)
  const now = yield* Timestamp.now
  const since = Timestamp.plus(now, -DAYS * Timestamp.DAY)
  const counts = yield* (yield* ServiceStore).counts(now, since)
  const flags = yield* (yield* VolumeFlagStore).list(WARNINGS_MAX, undefined)
  const leaks = yield* (yield* ReviewStore).leaks(WARNINGS_MAX, undefined)
  const overview: ServiceOverview = {
    ...counts,
    days: DAYS,
    volumeFlags: flags.items.filter(({ to }) => to >= since).length,
    leaks: leaks.items.filter(({ flaggedAt }) => flaggedAt >= since).length
  }
  return overview
})
