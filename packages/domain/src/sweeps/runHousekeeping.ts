// The timetable of the workers' regular jobs (decision sweeps-1).
import { Effect } from "effect"
import { endRevoked } from "../connection/endConnections.js"
import { removeDeleted } from "../deletions/deleteAccount.js"
import { warnOfStrikes } from "../deliveries/warnOfStrikes.js"
import { sweepListeners } from "../listeners/manageListeners.js"
import { flagVolumes } from "../purposes/flagVolumes.js"
import * as History from "../retention-choice/History.js"
import * as Timestamp from "../shared/Timestamp.js"
import { deriveBehind } from "../visits/deriveStays.js"
import { sweepExpired, sweepHistory } from "./sweepHistory.js"
import { sweepTiers } from "./sweepTiers.js"

/**
 * Runs the regular jobs of the workers: dates of connections (every 15 minutes, Spec §6.3.1), volume flags (hourly,
 * Spec §8), warnings about failing endpoints, connections of revoked apps, rows of deleted accounts, history that is
 * older than users keep, stays to derive, and expired rows. Runs until interrupted and never fails. Any number of
 * workers may run it.
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

/**
 * Runs `job` at the start, and then whenever the clock is at a multiple of `every` milliseconds, until interrupted. A
 * failed run is logged under the name `what`, and the next run takes place as usual.
 */
const onTheClock = <E, R>(what: string, every: number, job: Effect.Effect<unknown, E, R>) =>
  job.pipe(
    Effect.catchAllCause((cause) => Effect.logError(`${what} failed, later again`, cause)),
    Effect.zipRight(Effect.flatMap(Timestamp.now, (now) => Effect.sleep(every - (now % every)))),
    Effect.forever
  )
