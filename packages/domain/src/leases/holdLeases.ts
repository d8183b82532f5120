import { Deferred, type Duration, Effect, Duration as Durations, FiberId } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import * as Entropy from "../shared/Entropy.js"
import type { StoreError } from "../shared/Errors.js"
import { WorkerId } from "../shared/Ids.js"
import { program } from "../shared/Program.js"
import * as Timestamp from "../shared/Timestamp.js"
import { Vault } from "../shared/Vault.js"
import * as Bucket from "./Bucket.js"
import * as Chore from "./Chore.js"
import * as Lease from "./Lease.js"
import { LeaseStore } from "./LeaseStore.js"
import * as LeaseUses from "./leaseUses.js"
import { LEAVE_DEADLINE } from "./Stopping.js"
import type { WorkLeases } from "./WorkLeases.js"

/** The leases that a worker has held since its last look, and the live workers that this look found. */
interface Holding {
  readonly leases: ReadonlyMap<string, Lease.Lease>
  readonly lookedAt: Timestamp.Timestamp
  readonly isShort: boolean
  readonly crew: WorkerPosition
}

/** A worker's position among all live workers, as the worker's last look found it. */
export interface WorkerPosition {
  readonly size: number
  /** The worker's index in the sorted list of all live workers. */
  readonly place: number
  /** True when the worker has more buckets than its share, because the buckets that it should give up are in use. */
  readonly hasSurplus: boolean
  /** Since when the worker has held all its present buckets. Null before the first look. */
  readonly heldSince: Timestamp.Timestamp | null
}

const ALONE: WorkerPosition = { size: 1, place: 0, hasSurplus: false, heldSince: null }

/** The leases of a worker, for the one loop of the worker that renews them with `look`. */
export interface WorkerLeases extends WorkLeases {
  /**
   * Does a look, if one is due: stores a beat, takes leases and gives leases up. Returns the buckets that the worker
   * holds now.
   */
  readonly look: Effect.Effect<ReadonlyArray<number>, StoreError>
  /** This worker's position among all live workers. Before the first look, the worker counts as the only one. */
  readonly crew: () => WorkerPosition
  /**
   * Gives all leases up, when the worker stops: idle leases immediately, and leases in use when their work has ended.
   * If the work takes longer than eight seconds, or the store does not answer, the leases end by themselves:
   * `Lease.LIFE` after the worker's last beat.
   */
  readonly leave: Effect.Effect<void>
}

const NAMES: Readonly<Record<Lease.LeaseKind, ReadonlyArray<string>>> = { people: Bucket.NAMES, chores: Chore.ALL }

const NOTHING = new Map<string, Lease.Lease>()

/** A worker with less than its share of the leases looks this many times as often as other workers. */
const SHORT_LOOKS = 4

/**
 * Creates the object through which all loops of this worker use the worker's leases.
 *
 * One loop calls `look`. A look is due when the last look is `lookEvery` old, or four times as often while the worker
 * has less than its share. A look stores a beat, surveys the leases, gives leases up and takes leases. The other loops
 * use the leases that the look kept and took. So a worker whose looking loop hangs stores no beats, and other workers
 * take its leases. A worker whose last beat has run out holds nothing until its next look, and its loops wait for that
 * look.
 *
 * A loop names the lease of each piece of work (`using`, decision leases-2), and a look gives up no lease that is in
 * use. So two workers do the same work at the same time only when one of them stored no beat for `Lease.LIFE` in the
 * middle of a piece of work, for example because its machine slept.
 */
export const holdLeases = program(
  "holdLeases",
  function* (lookEvery: Duration.DurationInput = "2 seconds", names: typeof NAMES = NAMES) {
    const store = yield* LeaseStore
    const signal = yield* WorkSignal
    const vault = yield* Vault
    const worker = WorkerId.make(yield* Entropy.id("wrk"))
    const everyMillis = Durations.toMillis(lookEvery)
    const uses = LeaseUses.make()
    let holding: Holding | undefined
    let isTaking = false
    let hasLeft = false
    // A look ends by completing `nextLook` and replacing it with a new `Deferred`. If the look took further leases, it
    // does the same with `nextGain`.
    let nextLook = Deferred.unsafeMake<void>(FiberId.none)
    let nextGain = Deferred.unsafeMake<void>(FiberId.none)

    /**
     * Whether the worker's last beat has run out. Other workers may then have taken its leases, so it holds nothing
     * until its next look.
     */
    const isExpired = ({ lookedAt }: Holding, now: Timestamp.Timestamp): boolean =>
      !Lease.isAlive({ worker, aliveUntil: Lease.aliveUntil(lookedAt) }, now)

    const heldAt = (now: Timestamp.Timestamp): ReadonlyMap<string, Lease.Lease> =>
      holding === undefined || isExpired(holding, now) ? NOTHING : holding.leases

    const buckets = Effect.map(Timestamp.now, (now) =>
      [...heldAt(now).values()].flatMap(({ kind, name }) => (kind === "people" ? [Bucket.ofName(name)] : []))
    )

    /**
     * Waits for the end of a look in three cases: the worker has not looked yet, the worker is taking leases, or its
     * last beat has run out, for example because the machine slept. Before it waits, this effect wakes the loop that
     * calls `look`. Otherwise it would wait for that loop's next poll.
     */
    const untilAlive: Effect.Effect<void> = Effect.flatMap(Timestamp.now, (now) => {
      if (hasLeft || (holding !== undefined && !isExpired(holding, now) && !isTaking)) return Effect.void
      const next = nextLook
      return Effect.zipRight(Effect.zipRight(signal.raise, Deferred.await(next)), untilAlive)
    })

    const isDue = (now: Timestamp.Timestamp): boolean =>
      holding === undefined ||
      now < holding.lookedAt ||
      now - holding.lookedAt >= (holding.isShort ? everyMillis / SHORT_LOOKS : everyMillis)

    const lookNow = (now: Timestamp.Timestamp) =>
      Effect.gen(function* () {
        const before = heldAt(now)
        yield* store.beat({ worker, aliveUntil: Lease.aliveUntil(now) })
        const survey = yield* store.survey(Lease.HOME)
        const plan = Lease.planLook(worker, survey, before, names, uses.isUsed, now)
        const { giveUp, isShort, kept, take, workers } = plan
        const isGaining = take.some(({ kind }) => kind === "people")
        const crew: WorkerPosition = {
          size: workers.length,
          place: workers.indexOf(worker),
          hasSurplus: plan.hasSurplus,
          heldSince: isGaining ? now : (holding?.crew.heldSince ?? now)
        }
        // From this assignment on, no loop begins work under a lease that is given up.
        holding = { leases: byKey(kept), lookedAt: now, isShort, crew }
        if (take.length > 0) {
          isTaking = true
          const taken = yield* Effect.ensuring(
            store.take(Lease.HOME, worker, take),
            Effect.sync(() => void (isTaking = false))
          )
          holding = { leases: byKey([...kept, ...taken]), lookedAt: now, isShort, crew }
        }
        announce(take.some(({ owner }) => owner !== worker))
        if (giveUp.length === 0) return
        yield* store.giveUp(Lease.HOME, giveUp)
        yield* signal.raise
      })

    /**
     * Wakes the loops that wait for a look and, if the worker has taken further leases, the loops that wait for
     * `nextTaken`.
     */
    const announce = (hasGained: boolean): void => {
      const ended = [nextLook, ...(hasGained ? [nextGain] : [])]
      nextLook = Deferred.unsafeMake<void>(FiberId.none)
      if (hasGained) nextGain = Deferred.unsafeMake<void>(FiberId.none)
      for (const one of ended) Deferred.unsafeDone(one, Effect.void)
    }

    /**
     * Counts a use of a lease and returns true, if the worker holds the lease. Check and count happen in one
     * synchronous step, so no look comes between them.
     */
    const begin = (key: string, now: Timestamp.Timestamp): boolean => {
      if (!heldAt(now).has(key)) return false
      uses.begin(key)
      return true
    }
    const using = <A, E, R>(key: string, work: Effect.Effect<A, E, R>) =>
      Effect.zipRight(
        untilAlive,
        Effect.acquireUseRelease(
          Effect.map(Timestamp.now, (now) => begin(key, now)),
          (isHeld) => (isHeld ? Effect.asSome(work) : Effect.succeedNone),
          (isHeld) => (isHeld ? Effect.sync(() => uses.end(key)) : Effect.void)
        )
      )

    const leave = Effect.suspend(() => {
      const idle = [...(holding?.leases.values() ?? [])].filter((lease) => !uses.isUsed(Lease.keyOf(lease)))
      hasLeft = true
      holding = undefined
      // After the worker has left there are no more looks. Without this call, a loop that waits for a look would wait
      // forever.
      announce(false)
      const giveIdleUp = !uses.isAnyUsed() || idle.length === 0 ? Effect.void : store.giveUp(Lease.HOME, idle)
      return giveIdleUp.pipe(
        Effect.zipRight(signal.raise),
        Effect.zipRight(uses.untilIdle),
        Effect.zipRight(store.leave(worker))
      )
    }).pipe(
      Effect.interruptible,
      Effect.timeoutOption(LEAVE_DEADLINE),
      Effect.zipRight(signal.raise),
      Effect.catchAllCause((cause) => Effect.logDebug("The worker's leases are left to their end", cause))
    )

    const leases: WorkerLeases = {
      look: Effect.flatMap(Timestamp.now, (now) => Effect.zipRight(isDue(now) ? lookNow(now) : Effect.void, buckets)),
      people: {
        buckets: Effect.zipRight(untilAlive, buckets),
        using: (person, work) =>
          using(Lease.keyOf({ kind: "people", name: String(Bucket.ofDigest(vault.sha256(person))) }), work)
      },
      chores: { using: (name, work) => using(Lease.keyOf({ kind: "chores", name }), work) },
      crew: () => holding?.crew ?? ALONE,
      nextTaken: Effect.sync(() => Deferred.await(nextGain)),
      leave
    }
    return leases
  }
)

const byKey = (leases: ReadonlyArray<Lease.Lease>): ReadonlyMap<string, Lease.Lease> =>
  new Map(leases.map((lease) => [Lease.keyOf(lease), lease]))
