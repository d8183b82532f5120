import { Effect } from "effect"
import { endRevoked } from "../connection/endRevoked.js"
import { removeDeleted } from "../deletions/removeDeleted.js"
import { warnOfStrikes } from "../endpoints/warnOfStrikes.js"
import * as History from "../history/History.js"
import { sweepListeners } from "../listeners/sweepListeners.js"
import { flagVolumes } from "../purposes/flagVolumes.js"
import * as Timestamp from "../shared/Timestamp.js"
import { sweepTiers } from "../tiers/sweepTiers.js"
import { deriveBehind } from "../visits/deriveBehind.js"
import { onTheClock } from "./onTheClock.js"
import { sweepExpired } from "./sweepExpired.js"
import { sweepHistory } from "./sweepHistory.js"

/**
 * What workers look after now and then: dates of connections (every 15 minutes, Spec §6.3.1), calls that are too many for their
 * purpose (hourly, Spec §8), endpoints that fail, connections that are left of revoked apps, what is left of deleted accounts,
 * history that is past its user's choice, stays that are to be derived, and what time has made useless. Runs until interrupted and
 * never fails; any number of workers may do it at once.
 */
export const runHousekeeping = Effect.gen(function* () {
  const flag = Timestamp.now.pipe(
    Effect.flatMap(flagVolumes),
    Effect.tap((raised) =>
      raised > 0 ? Effect.logInfo("Purposes were flagged for their volume", raised) : Effect.void
    )
  )
  const end = Effect.tap(endRevoked(), (ended) =>
    ended > 0 ? Effect.logInfo("Connections of revoked apps were ended", ended) : Effect.void
  )
  const tiers = Effect.tap(sweepTiers(), (swept) =>
    swept.connections > 0 ? Effect.logInfo("Connections came to a date", swept) : Effect.void
  )
  const expired = Timestamp.now.pipe(
    Effect.flatMap(sweepExpired),
    Effect.tap((removed) => (removed > 0 ? Effect.logInfo("What had expired was deleted", removed) : Effect.void))
  )
  const history = Timestamp.now.pipe(
    Effect.flatMap(sweepHistory),
    Effect.tap((removed) => (removed > 0 ? Effect.logInfo("Old history was deleted", removed) : Effect.void))
  )
  const deletions = Effect.tap(removeDeleted(), (finished) =>
    finished > 0 ? Effect.logInfo("Deleted accounts were removed for good", finished) : Effect.void
  )
  const warn = Effect.tap(warnOfStrikes(), (settled) =>
    settled > 0 ? Effect.logInfo("Developers were told of endpoints that fail", settled) : Effect.void
  )
  const stays = Timestamp.now.pipe(
    Effect.flatMap(deriveBehind),
    Effect.tap((steps) => (steps > 0 ? Effect.logInfo("Stays were derived, in so many steps", steps) : Effect.void))
  )
  yield* Effect.all(
    [
      onTheClock("The sweep of the tiers", 15 * Timestamp.MINUTE, tiers),
      onTheClock("The count of calls by purpose", Timestamp.HOUR, flag),
      onTheClock("Ending connections of revoked apps", Timestamp.MINUTE, end),
      onTheClock("Telling developers of endpoints that fail", Timestamp.MINUTE, warn),
      onTheClock("Sweeping listeners that are gone", Timestamp.MINUTE, sweepListeners()),
      onTheClock("Deleting what has expired", Timestamp.HOUR, expired),
      onTheClock("Deriving stays", 5 * Timestamp.MINUTE, stays),
      onTheClock("Deleting old history", History.SWEEP_EVERY, history),
      onTheClock("Removing deleted accounts", Timestamp.MINUTE, deletions)
    ],
    { concurrency: "unbounded", discard: true }
  )
  return yield* Effect.never
})
