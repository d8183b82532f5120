import { Array, Effect, Option } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import type { PeopleLeases } from "../leases/WorkLeases.js"
import { Entropy, EventId, program, retryTransient, Timestamp } from "../shared/index.js"
import * as TierSweep from "./TierSweep.js"
import { type DueTiers, TierStore } from "./TierStore.js"

/** The number of connections that one query reads. Each connection is changed in its own transaction. */
const BATCH = 100
/** How many connections one worker handles at the same time. */
const AT_ONCE = 4
/** How often the sweep of one connection is retried immediately after a transient error, such as a locked row. */
const REPEATS = 3

export interface TierSweepCounts {
  readonly connections: number
  readonly ended: number
  /** The number of notices to apps. */
  readonly notices: number
}

/**
 * Handles every due connection of the people whose leases this worker holds: it sends notices, removes sensitive scopes
 * after the grace period, and ends connections whose standard tier has ended or whose app was revoked (Spec §3.1,
 * §6.3). This program may be interrupted and repeated.
 */
export const sweepTiers = program("sweepTiers", function* (people: PeopleLeases) {
  const store = yield* TierStore
  let swept: TierSweepCounts = { connections: 0, ended: 0, notices: 0 }
  let after: DueTiers | undefined
  for (;;) {
    const due = yield* store.due({ buckets: yield* people.buckets, now: yield* Timestamp.now, limit: BATCH, after })
    const outcomes = yield* Effect.forEach(due, (one) => people.using(one.userId, sweepOne(one)), {
      concurrency: AT_ONCE
    }).pipe(Effect.map(Array.getSomes))
    const notices = outcomes.reduce((sum, outcome) => sum + outcome.notices.length, 0)
    if (notices > 0) yield* (yield* WorkSignal).raise
    swept = {
      connections: swept.connections + outcomes.length,
      ended: swept.ended + outcomes.filter((outcome) => outcome.ended).length,
      notices: swept.notices + notices
    }
    if (due.length < BATCH) return swept
    // When the handling of a connection failed, the connection is still due. Without `after`, the query would return it
    // again and again.
    after = due.at(-1)
  }
})

const NOTHING: TierSweep.TierSweepOutcome = { ended: false, notices: [] }

/**
 * Sweeps one connection. A failure is logged and does not stop the sweep of other connections; the next sweep handles
 * this connection again.
 */
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
