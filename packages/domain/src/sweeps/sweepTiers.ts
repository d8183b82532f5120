import { Effect, Option } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import { Entropy, EventId, program, retryTransient, Timestamp } from "../shared/index.js"
import * as TierSweep from "./TierSweep.js"
import { type DueTiers, TierStore } from "./TierStore.js"

/** Connections leased at a time. Each is changed in its own transaction. */
const BATCH = 100
/** Connections of a batch handled concurrently. */
const AT_ONCE = 4
/** Longer than a batch takes. When a worker dies, the next sweep handles its connections after this time. */
const LEASE = 2 * Timestamp.MINUTE
/** How often a connection whose row is locked is tried again in this sweep. */
const REPEATS = 3

export interface Swept {
  readonly connections: number
  readonly ended: number
  /** The number of events for apps. */
  readonly told: number
}

/**
 * Handles every connection whose next date has come: notices, the end of sensitive scopes after the grace period, the
 * end at the standard date (Spec §3.1, §6.3). May be interrupted, repeated and run by several workers.
 */
export const sweepTiers = program("sweepTiers", function* () {
  const store = yield* TierStore
  let swept: Swept = { connections: 0, ended: 0, told: 0 }
  for (let isLast = false; ;) {
    const now = yield* Timestamp.now
    const due: ReadonlyArray<DueTiers> = isLast
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
    // The last batch also has connections that were skipped because they were locked: a token refresh must not delay
    // them by 15 minutes.
    isLast = due.length < BATCH
  }
})

const NOTHING: TierSweep.TierSweepOutcome = { ended: false, told: [] }

/** A failure concerns one connection only, which a later sweep handles. */
const sweepOne = (due: DueTiers) =>
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
