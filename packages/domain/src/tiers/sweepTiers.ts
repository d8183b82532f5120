import { Effect, Option } from "effect"
import { WorkSignal } from "../deliveries/WorkSignal.js"
import * as Entropy from "../shared/Entropy.js"
import { EventId } from "../shared/Ids.js"
import { retryTransient } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as TierSweep from "./TierSweep.js"
import { type Due, TierStore } from "./TierStore.js"

/** So many connections are claimed at a time; each is changed in a transaction of its own. */
const BATCH = 100
/** How many of a batch are looked at at once. */
const AT_ONCE = 4
/** Longer than a batch takes. Those of a worker that died are looked at by the next sweep. */
const LEASE = 2 * Timestamp.MINUTE
/** How often a connection whose row somebody holds is tried again before it is left to the next sweep. */
const REPEATS = 3

export interface Swept {
  readonly connections: number
  readonly ended: number
  /** Events that apps are sent for it. */
  readonly told: number
}

/**
 * Looks at every connection that came to a date: tells its app, removes sensitive scopes whose grace is over, and ends what
 * passed its standard date (Spec §3.1, §6.3). Can be interrupted and repeated at any point, by any number of workers.
 */
export const sweepTiers = Effect.fn("sweepTiers")(function* () {
  const store = yield* TierStore
  let swept: Swept = { connections: 0, ended: 0, told: 0 }
  for (let isLast = false; ;) {
    const now = yield* Timestamp.now
    const due: ReadonlyArray<Due> = isLast
      ? yield* store.listDue(BATCH, now)
      : yield* store.claimDue(BATCH, now, Timestamp.plus(now, LEASE))
    const outcomes = yield* Effect.forEach(due, sweepOne, { concurrency: AT_ONCE })
    const told = outcomes.reduce((sum, outcome) => sum + outcome.told.length, 0)
    if (told > 0) yield* (yield* WorkSignal).raise
    swept = {
      connections: swept.connections + due.length,
      ended: swept.ended + outcomes.filter((outcome) => outcome.ended).length,
      told: swept.told + told
    }
    if (isLast) return swept
    // Then, once, what was passed over because somebody had it locked: a token that is refreshed must not cost 15 minutes.
    isLast = due.length < BATCH
  }
})

const NOTHING: TierSweep.Outcome = { ended: false, told: [] }

/** One connection's trouble is not the others': it is looked at again by a later sweep. */
const sweepOne = (due: Due) =>
  Effect.gen(function* () {
    const ids: TierSweep.Ids = {
      expiring_14: yield* eventId,
      expiring_7: yield* eventId,
      lapsed: yield* eventId,
      removed: yield* eventId
    }
    const outcome = yield* retryTransient(REPEATS)(
      (yield* TierStore).sweep(due, (state, now) => TierSweep.decide(state, ids, now))
    )
    return Option.getOrElse(outcome, () => NOTHING)
  }).pipe(
    Effect.tapErrorCause((cause) =>
      Effect.logWarning("A connection's dates are left to the next sweep", due.id, cause)
    ),
    Effect.orElseSucceed(() => NOTHING)
  )

const eventId = Effect.map(Entropy.id("evt"), (id) => EventId.make(id))
