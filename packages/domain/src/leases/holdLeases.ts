import { type Duration, Effect, Duration as Durations } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import * as Entropy from "../shared/Entropy.js"
import { type UserId, WorkerId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import * as Bucket from "./Bucket.js"
import * as Lease from "./Lease.js"
import { LeaseStore } from "./LeaseStore.js"

/** How long the record of a worker that ended without a word is kept. */
const REMEMBERED = Timestamp.HOUR

interface Held {
  readonly tokens: ReadonlyMap<string, number>
  readonly lookedAt: Timestamp.Timestamp
  readonly isShort: boolean
  readonly crew: Crew
}

/** This worker among all that live, since its last look. */
export interface Crew {
  readonly size: number
  /** The worker's place among all, from 0. */
  readonly place: number
  /** The worker has more leases than its share, and those that it would give up are in use. */
  readonly isOver: boolean
}

const ALONE: Crew = { size: 1, place: 0, isOver: false }

const NOTHING = new Map<string, number>()

/**
 * The leases of one kind that this worker holds.
 *
 * `current` returns their names. It first looks at the leases when the last look is `lookEvery` old, or at once while
 * the worker has less than its share: it says that the worker lives, reads who has what, gives up and takes. Nothing
 * looks beside the loop that works. So a worker that hangs stops beating and is replaced. A worker whose last beat has
 * run out holds nothing until its next look.
 *
 * Work that goes on after the loop has left it names its person (`using`). A look gives up no lease that is in use, so
 * two workers do the same work at once only when one of them slept for longer than its life.
 */
export const holdLeases = (kind: Lease.LeaseKind, names: ReadonlyArray<string>, lookEvery: Duration.DurationInput) =>
  Effect.gen(function* () {
    const store = yield* LeaseStore
    const signal = yield* WorkSignal
    const vault = yield* Vault
    const worker = WorkerId.make(yield* Entropy.id("wrk"))
    const everyMillis = Durations.toMillis(lookEvery)
    const uses = new Map<string, number>()
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
        const ownLeases = { held: new Set(own.map(({ name }) => name)), inUse: new Set(uses.keys()) }
        const { giveUp, isOver, isShort, take } = Lease.move(worker, survey, ownLeases, now)
        const kept = own.filter(({ name }) => !giveUp.some((one) => one.name === name))
        const all = Lease.crew(worker, beats, now)
        const crew = { size: all.length, place: all.indexOf(worker), isOver }
        // From here on no work of a lease begins that is given up.
        held = { tokens: tokensOf(kept), lookedAt: now, isShort, crew }
        const taken = take.length === 0 ? [] : yield* store.take(kind, worker, take)
        held = { tokens: tokensOf([...kept, ...taken]), lookedAt: now, isShort, crew }
        if (giveUp.length === 0) return
        yield* store.giveUp(kind, giveUp)
        yield* signal.raise
      })

    /** The check and the count are one step, so no look comes between them. */
    const begin = (name: string, now: Timestamp.Timestamp): boolean => {
      if (!tokensAt(now).has(name)) return false
      uses.set(name, (uses.get(name) ?? 0) + 1)
      return true
    }
    const end = (name: string): void => {
      const count = uses.get(name) ?? 0
      if (count > 1) uses.set(name, count - 1)
      else uses.delete(name)
    }
    const using = <A, E, R>(name: string, work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.map(Timestamp.now, (now) => begin(name, now)),
        (isHeld) => (isHeld ? Effect.asSome(work) : Effect.succeedNone),
        (isHeld) => (isHeld ? Effect.sync(() => end(name)) : Effect.void)
      )

    const untilIdle: Effect.Effect<void> = Effect.suspend(() =>
      uses.size === 0 ? Effect.void : Effect.zipRight(Effect.sleep("50 millis"), untilIdle)
    )

    return {
      crew: (): Crew => held?.crew ?? ALONE,
      /**
       * Does a piece of work of this person, for leases by buckets. The worker keeps the person's bucket until the work
       * has ended. None, and nothing is done, when the worker does not hold the bucket.
       */
      using: <A, E, R>(person: UserId, work: Effect.Effect<A, E, R>) =>
        using(String(Bucket.ofDigest(vault.sha256(person))), work),
      /** The names of the leases that this worker holds now. */
      current: Effect.gen(function* () {
        const now = yield* Timestamp.now
        if (isDue(now)) yield* look(now)
        return [...tokensAt(yield* Timestamp.now).keys()]
      }),
      /**
       * Gives everything up for good, when nothing is in use any more, or after two seconds: nobody does the work of
       * these leases meanwhile. When the store does not answer, the worker's last beat runs out instead.
       */
      leave: Effect.suspend(() => {
        held = undefined
        return Effect.timeoutOption(untilIdle, LEAVE_DEADLINE)
      }).pipe(
        Effect.zipRight(Effect.timeoutOption(store.leave(worker), LEAVE_DEADLINE)),
        Effect.interruptible,
        Effect.zipRight(signal.raise),
        Effect.catchAllCause((cause) => Effect.logDebug("The worker's leases are left to their end", cause))
      )
    }
  })

/** How long a worker that stops waits for its pieces of work, and how long for the store. */
const LEAVE_DEADLINE = "2 seconds"

const tokensOf = (leases: ReadonlyArray<Lease.Lease>): ReadonlyMap<string, number> =>
  new Map(leases.map(({ name, token }) => [name, token]))
