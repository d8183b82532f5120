import { type Duration, Effect, Duration as Durations } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import * as Entropy from "../shared/Entropy.js"
import { WorkerId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Lease from "./Lease.js"
import { LeaseStore } from "./LeaseStore.js"

/** How long the record of a worker that ended without a word is kept. */
const REMEMBERED = Timestamp.HOUR

interface Held {
  readonly tokens: ReadonlyMap<string, number>
  readonly lookedAt: Timestamp.Timestamp
  readonly isShort: boolean
}

const NOTHING = new Map<string, number>()

/**
 * The leases of one kind that this worker holds.
 *
 * `current` returns their names. It first looks at the leases when the last look is `lookEvery` old, or at once while
 * the worker has less than its share: it says that the worker lives, reads who has what, gives up and takes. Nothing
 * looks beside the loop that works. So a worker that hangs stops beating and is replaced, and a worker gives up a lease
 * only between two pieces of work. A worker whose last beat has run out holds nothing until its next look.
 */
export const holdLeases = (kind: Lease.LeaseKind, names: ReadonlyArray<string>, lookEvery: Duration.DurationInput) =>
  Effect.gen(function* () {
    const store = yield* LeaseStore
    const signal = yield* WorkSignal
    const worker = WorkerId.make(yield* Entropy.id("wrk"))
    const everyMillis = Durations.toMillis(lookEvery)
    let held: Held | undefined

    const tokensAt = (now: Timestamp.Timestamp): ReadonlyMap<string, number> =>
      held !== undefined && Lease.isAlive({ worker, aliveUntil: Lease.aliveUntil(held.lookedAt) }, now)
        ? held.tokens
        : NOTHING

    const isDue = (now: Timestamp.Timestamp): boolean =>
      held === undefined || held.isShort || now < held.lookedAt || now - held.lookedAt >= everyMillis

    const look = (now: Timestamp.Timestamp) =>
      Effect.gen(function* () {
        if (held === undefined) yield* store.forgetDead(Timestamp.plus(now, -REMEMBERED))
        const before = tokensAt(now)
        yield* store.beat({ worker, aliveUntil: Lease.aliveUntil(now) })
        const { beats, leases } = yield* store.survey(kind)
        // A lease that somebody else has taken since is held no longer, and nor is one whose token is another one.
        const own = leases.filter(({ name, owner, token }) => owner === worker && before.get(name) === token)
        const survey = { beats, leases: Lease.complete(names, leases) }
        const { giveUp, isShort, take } = Lease.move(worker, survey, new Set(own.map(({ name }) => name)), now)
        const kept = own.filter(({ name }) => !giveUp.some((one) => one.name === name))
        held = { tokens: tokensOf(kept), lookedAt: now, isShort }
        const taken = take.length === 0 ? [] : yield* store.take(kind, worker, take)
        held = { tokens: tokensOf([...kept, ...taken]), lookedAt: now, isShort }
        if (giveUp.length === 0) return
        yield* store.giveUp(kind, giveUp)
        yield* signal.raise
      })

    return {
      /** The names of the leases that this worker holds now. */
      current: Effect.gen(function* () {
        const now = yield* Timestamp.now
        if (isDue(now)) yield* look(now)
        return [...tokensAt(yield* Timestamp.now).keys()]
      }),
      /** Gives everything up for good. When the store does not answer, the worker's last beat runs out instead. */
      leave: Effect.suspend(() => {
        held = undefined
        return store.leave(worker)
      }).pipe(
        Effect.interruptible,
        Effect.timeoutOption(LEAVE_DEADLINE),
        Effect.zipRight(signal.raise),
        Effect.catchAllCause((cause) => Effect.logDebug("The worker's leases are left to their end", cause))
      )
    }
  })

/** How long a worker that stops waits for the store. */
const LEAVE_DEADLINE = "2 seconds"

const tokensOf = (leases: ReadonlyArray<Lease.Lease>): ReadonlyMap<string, number> =>
  new Map(leases.map(({ name, token }) => [name, token]))
