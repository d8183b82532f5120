// The timetable of the workers' regular jobs (decision sweeps-1).
import { Effect } from "effect"
import { endRevoked } from "../connection/endConnections.js"
import { removeDeleted } from "../deletions/deleteAccount.js"
import { warnOfStrikes } from "../deliveries/warnOfStrikes.js"
import { sweepListeners } from "../listeners/manageListeners.js"
import { sendNotices } from "../owner-notices/notices.js"
import { flagVolumes } from "../purposes/flagVolumes.js"
import * as History from "../retention-choice/History.js"
import { LeaseStore, type WorkLeases } from "../leases/index.js"
import * as Timestamp from "../shared/Timestamp.js"
import { removeStrayTestPeople } from "../test-people/manageTestPeople.js"
import { deriveAnew } from "../visits/deriveAnew.js"
import { deriveBehind } from "../visits/deriveStays.js"
import * as StayPace from "../visits/StayPace.js"
import { sweepExpired, sweepHistory } from "./sweepHistory.js"
import { sweepTiers } from "./sweepTiers.js"

/** How long the row of a crashed worker is kept, in milliseconds. */
const DEAD_WORKERS_KEPT = Timestamp.HOUR

/**
 * The interval, in milliseconds, at which workers look for due notices that people have chosen to get. `MailOutbox`
 * stores each notice once, so a repeated run sends nothing twice.
 */
const NOTICES_EVERY = Timestamp.HOUR

/**
 * Runs the regular jobs of the workers until interrupted, and never fails. The table in the code has each job with its
 * interval, for example the sweep of the tiers every 15 minutes (Spec §6.3.1) and the volume flags every hour (Spec
 * §8). Each job does only the work whose leases this worker holds. `pace`: how fast stays are derived.
 */
export const runHousekeeping = (leases: WorkLeases, pace: StayPace.StayPace = StayPace.QUICK) =>
  Effect.gen(function* () {
    const { chores, people } = leases
    const at = <A, E, R>(job: (now: Timestamp.Timestamp) => Effect.Effect<A, E, R>) =>
      Effect.flatMap(Timestamp.now, job)
    const forget = at((now) =>
      Effect.flatMap(LeaseStore, (store) => store.forgetDead(Timestamp.plus(now, -DEAD_WORKERS_KEPT)))
    )
    const timetable = onTheClock(leases)
    yield* Effect.all(
      [
        timetable(
          "The sweep of the tiers",
          15 * Timestamp.MINUTE,
          Effect.tap(sweepTiers(people), (swept) =>
            swept.connections > 0 ? Effect.logInfo("Connections came to a date", swept) : Effect.void
          )
        ),
        timetable(
          "Deriving stays",
          5 * Timestamp.MINUTE,
          counted(
            "Stays were derived, in so many steps",
            at((now) => deriveBehind(now, people, pace))
          )
        ),
        timetable(
          "Deriving stays anew",
          5 * Timestamp.MINUTE,
          counted("Stays were derived anew, of so many phones", deriveAnew(people, pace))
        ),
        timetable(
          "Removing deleted accounts",
          Timestamp.MINUTE,
          counted("Deleted accounts were removed for good", removeDeleted(people))
        ),
        timetable(
          "The count of calls by purpose",
          Timestamp.HOUR,
          chores.using("volume_flags", counted("Purposes were flagged for their volume", at(flagVolumes)))
        ),
        timetable(
          "Ending connections of revoked apps",
          Timestamp.MINUTE,
          chores.using("revoked_apps", counted("Connections of revoked apps were ended", endRevoked()))
        ),
        timetable(
          "Removing test people of apps that left the sandbox",
          Timestamp.MINUTE,
          chores.using("revoked_apps", counted("Test people were removed", removeStrayTestPeople()))
        ),
        timetable(
          "Telling developers of endpoints that fail",
          Timestamp.MINUTE,
          chores.using("failing_endpoints", counted("Developers were told of endpoints that fail", warnOfStrikes()))
        ),
        timetable("Sending chosen notices", NOTICES_EVERY, sendNotices(people)),
        timetable("Sweeping listeners that are gone", Timestamp.MINUTE, chores.using("listeners", sweepListeners())),
        timetable(
          "Deleting what has expired",
          Timestamp.HOUR,
          chores.using("expired_rows", counted("What had expired was deleted", at(sweepExpired)))
        ),
        timetable(
          "Deleting old history",
          History.SWEEP_EVERY,
          chores.using("old_history", counted("Old history was deleted", at(sweepHistory)))
        ),
        timetable("Forgetting workers that are gone", Timestamp.HOUR, chores.using("dead_workers", forget))
      ],
      { concurrency: "unbounded", discard: true }
    )
    return yield* Effect.never
  })

/** Logs the count that a job returns, unless the count is 0. */
const counted = <E, R>(what: string, job: Effect.Effect<number, E, R>) =>
  Effect.tap(job, (count) => (count > 0 ? Effect.logInfo(what, count) : Effect.void))

/**
 * Runs `job` until interrupted: at the start, whenever the clock reaches a multiple of `every` milliseconds, and
 * whenever the worker has taken leases. So after a worker died, its work is done as soon as another worker has taken
 * its leases. A failed run is logged under the name `what`, and the next run takes place as usual.
 */
const onTheClock =
  ({ nextTaken }: WorkLeases) =>
  <E, R>(what: string, every: number, job: Effect.Effect<unknown, E, R>) =>
    Effect.gen(function* () {
      const one = (yield* Effect.makeSemaphore(1)).withPermits(1)
      const run = one(Effect.catchAllCause(job, (cause) => Effect.logError(`${what} failed, later again`, cause)))
      const toNext = Effect.flatMap(Timestamp.now, (now) => Effect.sleep(every - (now % every)))
      const first = yield* nextTaken
      const whenTaken = (taken: Effect.Effect<void>): Effect.Effect<void, never, R> =>
        Effect.gen(function* () {
          yield* taken
          // `nextTaken` is read before the job runs. So when the worker takes leases while the job runs, the job runs
          // again.
          const next = yield* nextTaken
          yield* run
          return yield* whenTaken(next)
        })
      yield* Effect.all([Effect.forever(Effect.zipRight(run, toNext)), whenTaken(first)], {
        concurrency: "unbounded",
        discard: true
      })
    })
