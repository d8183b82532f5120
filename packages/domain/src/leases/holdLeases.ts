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
import { LEAVE_DEADLINE } from "./Stopping.js"
import type { WorkLeases } from "./WorkLeases.js"

/** The leases that a worker holds since its last call of `look`, and what that call found. */
interface Holding {
  readonly leases: ReadonlyMap<string, Lease.Lease>
  readonly lookedAt: Timestamp.Timestamp
  readonly isShort: boolean
  readonly crew: Crew
}

/** This worker's position among all live workers, as its last call of `look` found it. */
export interface Crew {
  readonly size: number
  /** The worker's index in the sorted list of all live workers. */
  readonly place: number
  /** The worker has more buckets than its share, because the buckets that it should give up are in use. */
  readonly isOver: boolean
  /**
   * When the worker last took a bucket: it has held all of its present buckets since then. Before the first look: null.
   */
  readonly heldSince: Timestamp.Timestamp | null
}

const ALONE: Crew = { size: 1, place: 0, isOver: false, heldSince: null }

/** The leases of a worker, for the one loop of the worker that renews them. */
export interface WorkerLeases extends WorkLeases {
  /** Stores a beat, takes leases and gives leases up, if that is due. Returns the buckets that the worker holds now. */
  readonly look: Effect.Effect<ReadonlyArray<number>, StoreError>
  /** This worker's position among all live workers. Before the first call of `look`, the worker counts as alone. */
  readonly crew: () => Crew
  /**
   * Gives all leases up for good: leases that are not in use at once, the other leases when their work has ended. When
   * the work takes longer than eight seconds, or the store does not answer, the leases end with the worker's last beat.
   */
  readonly leave: Effect.Effect<void>
}

const NAMES: Readonly<Record<Lease.LeaseKind, ReadonlyArray<string>>> = { people: Bucket.NAMES, chores: Chore.ALL }

const NOTHING = new Map<string, Lease.Lease>()

/** A worker that has less than its share surveys and takes leases four times as often as another worker. */
const SHORT_LOOKS = 4

/**
 * The leases that this worker holds. All loops of the worker share them.
 *
 * One loop calls `look`. When the last look is `lookEvery` old, or sooner while the worker has less than its share,
 * `look` stores a beat, surveys the leases, gives leases up and takes leases. The other loops read the outcome. So a
 * worker whose loop hangs stops beating and is replaced. A worker whose last beat has run out holds nothing until its
 * next look, and its loops wait for that.
 *
 * The loops name the lease of each piece of work (`using`, decision leases-2). A look gives up no lease that is in use.
 * So two workers do the same work at once only when the machine of one of them slept for longer than `Lease.LIFE`.
 */
export const holdLeases = program(
  "holdLeases",
  function* (lookEvery: Duration.DurationInput = "2 seconds", names: typeof NAMES = NAMES, home: string = Lease.HOME) {
    const store = yield* LeaseStore
    const signal = yield* WorkSignal
    const vault = yield* Vault
    const worker = WorkerId.make(yield* Entropy.id("wrk"))
    const everyMillis = Durations.toMillis(lookEvery)
    const uses = new Map<string, number>()
    let holding: Holding | undefined
    let isTaking = false
    let hasLeft = false
    let taking = Deferred.unsafeMake<void>(FiberId.none)
    let looked = Deferred.unsafeMake<void>(FiberId.none)

    const isOver = ({ lookedAt }: Holding, now: Timestamp.Timestamp): boolean =>
      !Lease.isAlive({ worker, aliveUntil: Lease.aliveUntil(lookedAt) }, now)

    const heldAt = (now: Timestamp.Timestamp): ReadonlyMap<string, Lease.Lease> =>
      holding === undefined || isOver(holding, now) ? NOTHING : holding.leases

    const buckets = Effect.map(Timestamp.now, (now) =>
      [...heldAt(now).values()].flatMap(({ kind, name }) => (kind === "people" ? [Bucket.ofName(name)] : []))
    )

    /**
     * Waits for the end of a look while the worker has not looked yet, while it is taking leases, and when its last
     * beat has run out because the machine slept. Wakes the loop that calls `look`, so that the caller does not wait
     * for the next poll of that loop.
     */
    const untilAlive: Effect.Effect<void> = Effect.flatMap(Timestamp.now, (now) => {
      if (hasLeft || (holding !== undefined && !isOver(holding, now) && !isTaking)) return Effect.void
      const next = looked
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
        const { beats, leases } = yield* store.survey(home)
        // The worker no longer holds a lease that another worker has taken, nor a lease with another token.
        const own = leases.filter((lease) => lease.owner === worker && before.get(keyOf(lease))?.token === lease.token)
        const moves = Lease.KINDS.map((kind) => {
          const held = new Set(own.flatMap((lease) => (lease.kind === kind ? [lease.name] : [])))
          const inUse = new Set(names[kind].filter((name) => uses.has(keyOf({ kind, name }))))
          const survey = { beats, leases: Lease.complete(kind, names[kind], leases) }
          return { kind, ...Lease.move(worker, survey, { held, inUse }, now) }
        })
        const giveUp = moves.flatMap((one) => one.giveUp)
        const take = moves.flatMap((one) => one.take)
        const isShort = moves.some((one) => one.isShort)
        const all = Lease.crew(worker, beats, now)
        const isOver = moves.some((one) => one.kind === "people" && one.isOver)
        const isGaining = take.some(({ kind }) => kind === "people")
        const heldSince = isGaining ? now : (holding?.crew.heldSince ?? now)
        const crew: Crew = { size: all.length, place: all.indexOf(worker), isOver, heldSince }
        const isGivenUp = new Set(giveUp.map(keyOf))
        const kept = own.filter((lease) => !isGivenUp.has(keyOf(lease)))
        // From here on no loop begins a piece of work under a lease that is given up.
        holding = { leases: byKey(kept), lookedAt: now, isShort, crew }
        if (take.length > 0) {
          isTaking = true
          const taken = yield* Effect.ensuring(
            store.take(home, worker, take),
            Effect.sync(() => void (isTaking = false))
          )
          holding = { leases: byKey([...kept, ...taken]), lookedAt: now, isShort, crew }
        }
        announce(take.some(({ owner }) => owner !== worker))
        if (giveUp.length === 0) return
        yield* store.giveUp(home, giveUp)
        yield* signal.raise
      })

    /**
     * Wakes the loops that wait for a look and, if the worker has taken further leases, the loops that wait for
     * `nextTaken`.
     */
    const announce = (hasTaken: boolean): void => {
      const ended = [looked, ...(hasTaken ? [taking] : [])]
      looked = Deferred.unsafeMake<void>(FiberId.none)
      if (hasTaken) taking = Deferred.unsafeMake<void>(FiberId.none)
      for (const one of ended) Deferred.unsafeDone(one, Effect.void)
    }

    /** Counts a use of a lease that the worker holds. Check and count are one step, so no look comes between them. */
    const begin = (key: string, now: Timestamp.Timestamp): boolean => {
      if (!heldAt(now).has(key)) return false
      uses.set(key, (uses.get(key) ?? 0) + 1)
      return true
    }
    const end = (key: string): void => {
      const count = uses.get(key) ?? 0
      if (count > 1) uses.set(key, count - 1)
      else uses.delete(key)
    }
    const using = <A, E, R>(key: string, work: Effect.Effect<A, E, R>) =>
      Effect.zipRight(
        untilAlive,
        Effect.acquireUseRelease(
          Effect.map(Timestamp.now, (now) => begin(key, now)),
          (isHeld) => (isHeld ? Effect.asSome(work) : Effect.succeedNone),
          (isHeld) => (isHeld ? Effect.sync(() => end(key)) : Effect.void)
        )
      )

    const untilIdle: Effect.Effect<void> = Effect.suspend(() =>
      uses.size === 0 ? Effect.void : Effect.zipRight(Effect.sleep("50 millis"), untilIdle)
    )

    const leases: WorkerLeases = {
      look: Effect.flatMap(Timestamp.now, (now) => Effect.zipRight(isDue(now) ? lookNow(now) : Effect.void, buckets)),
      people: {
        buckets: Effect.zipRight(untilAlive, buckets),
        using: (person, work) =>
          using(keyOf({ kind: "people", name: String(Bucket.ofDigest(vault.sha256(person))) }), work)
      },
      chores: { using: (name, work) => using(keyOf({ kind: "chores", name }), work) },
      crew: () => holding?.crew ?? ALONE,
      nextTaken: Effect.sync(() => Deferred.await(taking)),
      leave: Effect.suspend(() => {
        const idle = [...(holding?.leases.values() ?? [])].filter((lease) => !uses.has(keyOf(lease)))
        hasLeft = true
        holding = undefined
        // A loop that waits for a look would wait for ever, because no look follows.
        announce(false)
        const others = uses.size === 0 || idle.length === 0 ? Effect.void : store.giveUp(home, idle)
        return others.pipe(
          Effect.zipRight(signal.raise),
          Effect.zipRight(untilIdle),
          Effect.zipRight(store.leave(worker))
        )
      }).pipe(
        Effect.interruptible,
        Effect.timeoutOption(LEAVE_DEADLINE),
        Effect.zipRight(signal.raise),
        Effect.catchAllCause((cause) => Effect.logDebug("The worker's leases are left to their end", cause))
      )
    }
    return leases
  }
)

const keyOf = ({ kind, name }: Pick<Lease.Lease, "kind" | "name">): string => `${kind} ${name}`

const byKey = (leases: ReadonlyArray<Lease.Lease>): ReadonlyMap<string, Lease.Lease> =>
  new Map(leases.map((lease) => [keyOf(lease), lease]))
