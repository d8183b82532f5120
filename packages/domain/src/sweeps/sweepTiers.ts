import { Array, Effect, Option } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import { everything, type PeopleLeases } from "../leases/WorkLeases.js"
import { Entropy, EventId, program, retryTransient, Timestamp } from "../shared/index.js"
import * as TierSweep from "./TierSweep.js"
import { type DueTiers, TierStore } from "./TierStore.js"

/** Connections read at a time. Each is changed in its own transaction. */
const BATCH = 100
/** Connections of a batch handled concurrently. */
const AT_ONCE = 4
/** How often a connection whose row is locked is tried again in this sweep. */
const REPEATS = 3

export interface Swept {
  readonly connections: number
  readonly ended: number
  /** The number of events for apps. */
  readonly told: number
}

/**
 * Handles every connection of these people whose next date has come: notices, the end of sensitive scopes after the
 * grace period, the end at the standard date (Spec §3.1, §6.3). May be interrupted and repeated.
 */
export const sweepTiers = program("sweepTiers", function* (people: PeopleLeases = everything.people) {
  const store = yield* TierStore
  let swept: Swept = { connections: 0, ended: 0, told: 0 }
  let after: DueTiers | undefined
  for (;;) {
    const due = yield* store.due({ buckets: yield* people.buckets, now: yield* Timestamp.now, limit: BATCH, after })
    const outcomes = yield* Effect.forEach(due, (one) => people.using(one.userId, sweepOne(one)), {
      concurrency: AT_ONCE
    }).pipe(Effect.map(Array.getSomes))
    const told = outcomes.reduce((sum, outcome) => sum + outcome.told.length, 0)
    if (told > 0) yield* (yield* WorkSignal).raise
    swept = {
      connections: swept.connections + outcomes.length,
      ended: swept.ended + outcomes.filter((outcome) => outcome.ended).length,
      told: swept.told + told
    }
    if (due.length < BATCH) return swept
    // A connection that could not be handled is still due: without `after` it would be read again and again.
    after = due.at(-1)
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
