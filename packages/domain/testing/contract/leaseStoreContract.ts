import { Effect } from "effect"
import type { Beat, Lease } from "../../src/leases/Lease.js"
import { LeaseStore } from "../../src/leases/LeaseStore.js"
import * as Entropy from "../../src/shared/Entropy.js"
import { WorkerId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"

/** Two workers, and a `home` (shard key) that no other case uses, so that no case sees the leases of another case. */
const fresh = Effect.gen(function* () {
  return { home: yield* Entropy.id("home"), worker: yield* worker, other: yield* worker, now: yield* Timestamp.now }
})

const worker = Effect.map(Entropy.id("wrk"), (id) => WorkerId.make(id))

const lease = (name: string, owner: WorkerId | null, token: number): Lease => ({ kind: "people", name, owner, token })

const never = (name: string): Lease => lease(name, null, 0)

const leasesOf = (home: string) =>
  Effect.gen(function* () {
    const { leases } = yield* (yield* LeaseStore).survey(home)
    return byName(leases)
  })

const byName = (leases: ReadonlyArray<Lease>) => leases.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** The stored heartbeats of the given workers, without the heartbeats that other cases stored in the same database. */
const beatsOf = (home: string, workers: ReadonlyArray<WorkerId>) =>
  Effect.gen(function* () {
    const { beats } = yield* (yield* LeaseStore).survey(home)
    return workers.flatMap((one): ReadonlyArray<Beat> => beats.filter((beat) => beat.worker === one))
  })

/**
 * What every `LeaseStore` must guarantee: only one of several workers gets a lease, and a worker with an outdated token
 * does not get the lease.
 */
export const leaseStoreContract: Contract<LeaseStore | Entropy.Entropy> = [
  {
    name: "beat: each worker's last one, also when it is earlier than the one before",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, now, other, worker } = yield* fresh
      Check.equal(yield* beatsOf(home, [worker, other]), [], "none before")
      yield* store.beat({ worker, aliveUntil: Timestamp.plus(now, 10) })
      yield* store.beat({ worker: other, aliveUntil: now })
      yield* store.beat({ worker, aliveUntil: Timestamp.plus(now, 7) })
      Check.equal(
        yield* beatsOf(home, [worker, other]),
        [
          { worker, aliveUntil: Timestamp.plus(now, 7) },
          { worker: other, aliveUntil: now }
        ],
        "the last ones"
      )
    })
  },
  {
    name: "take: each with its token raised by one, the first time and from an owner",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, other, worker } = yield* fresh
      Check.equal(yield* store.take(home, worker, []), [], "nothing asked")
      const taken = byName(yield* store.take(home, worker, [never("b"), never("a")]))
      const expected = ["a", "b"].map((name) => lease(name, worker, 1))
      Check.equal(taken, expected, "taken")
      Check.equal(yield* leasesOf(home), expected, "stored")
      const [first = Check.fail("there is one")] = expected
      Check.equal(yield* store.take(home, other, [first]), [lease("a", other, 2)], "by another one")
      yield* store.take(home, other, [lease("a", other, 2)])
      Check.equal(yield* leasesOf(home), [lease("a", other, 3), lease("b", worker, 1)], "anew by its own owner")
    })
  },
  {
    name: "take: nothing with a token that has changed, and the others all the same",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, other, worker } = yield* fresh
      yield* store.take(home, worker, [never("a")])
      Check.equal(
        yield* store.take(home, other, [never("a"), never("b")]),
        [lease("b", other, 1)],
        "only the one that was free"
      )
      const ahead = lease("a", worker, 2)
      Check.equal(yield* store.take(home, other, [ahead]), [], "a token that was never given")
      Check.equal(yield* leasesOf(home), [lease("a", worker, 1), lease("b", other, 1)], "stored")
    })
  },
  {
    name: "take: of many workers at once exactly one gets each lease",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home } = yield* fresh
      const names = Array.from({ length: 20 }, (_, index) => String(index))
      const rivals = yield* Effect.forEach(names.slice(0, 6), () => worker)
      const race = (from: ReadonlyArray<Lease>) =>
        Effect.map(
          Effect.forEach(rivals, (one, turn) => store.take(home, one, turn % 2 === 0 ? from : from.toReversed()), {
            concurrency: "unbounded"
          }),
          (taken) => byName(taken.flat())
        )
      const once = yield* race(names.map(never))
      Check.equal(
        once.map(({ name }) => name),
        names.toSorted(),
        "each once"
      )
      Check.equal(once, yield* leasesOf(home), "as stored")
      const twice = yield* race(once)
      Check.equal(
        twice.map(({ name, token }) => [name, token]),
        names.toSorted().map((name) => [name, 2]),
        "again"
      )
    })
  },
  {
    name: "giveUp: free, with the token kept; nothing with a token that has changed",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, other, worker } = yield* fresh
      const taken = yield* store.take(home, worker, [never("a"), never("b")])
      yield* store.take(home, other, [lease("b", worker, 1)])
      yield* store.giveUp(home, [...taken, never("c")])
      Check.equal(yield* leasesOf(home), [lease("a", null, 1), lease("b", other, 2)], "given up")
      yield* store.giveUp(home, [])
      Check.equal(yield* store.take(home, other, [lease("a", null, 1)]), [lease("a", other, 2)], "taken again")
    })
  },
  {
    name: "survey: the leases of one home only, of every kind; a name of another kind is another lease",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const [one, two] = [yield* fresh, yield* fresh]
      yield* store.take(one.home, one.worker, [never("a")])
      yield* store.take(two.home, two.worker, [never("a"), never("b")])
      Check.equal(yield* leasesOf(one.home), [lease("a", one.worker, 1)], "the first")
      Check.equal((yield* leasesOf(two.home)).length, 2, "the second")
      const chore: Lease = { ...never("a"), kind: "chores" }
      Check.equal(
        yield* store.take(one.home, one.other, [chore]),
        [{ ...chore, owner: one.other, token: 1 }],
        "of the same name"
      )
      yield* store.giveUp(one.home, [{ ...chore, token: 1 }])
      const { leases } = yield* store.survey(one.home)
      Check.equal(
        leases.map(({ kind, owner }) => [kind, owner]).sort(),
        [
          ["chores", null],
          ["people", one.worker]
        ],
        "both"
      )
    })
  },
  {
    name: "survey: has the beat of every owner, also of a worker that beats and takes a lease during the survey [leases-1]",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, now } = yield* fresh
      const names = Array.from({ length: 60 }, (_, index) => String(index))
      const progress = { isDone: false }
      const arrivals = Effect.forEach(names, (name) =>
        Effect.gen(function* () {
          const arrived = yield* worker
          yield* store.beat({ worker: arrived, aliveUntil: Timestamp.plus(now, 10) })
          yield* store.take(home, arrived, [never(name)])
          yield* Effect.yieldNow()
        })
      ).pipe(Effect.ensuring(Effect.sync(() => void (progress.isDone = true))))
      const surveys = Effect.gen(function* () {
        let surveyed = 0
        for (; !progress.isDone; surveyed++) {
          const { beats, leases } = yield* store.survey(home)
          const known = new Set(beats.map((beat) => beat.worker))
          const unknown = leases.filter(({ owner }) => owner !== null && !known.has(owner))
          Check.equal(unknown, [], "leases of workers without a beat")
          yield* Effect.yieldNow()
        }
        return surveyed
      })
      const [, ...counts] = yield* Effect.all([arrivals, surveys, surveys, surveys], { concurrency: "unbounded" })
      Check.isTrue(
        counts.every((surveyed) => surveyed > 0),
        "surveys during the arrivals"
      )
    })
  },
  {
    name: "leave: the worker is forgotten, and another one stays",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, now, other, worker } = yield* fresh
      yield* store.beat({ worker, aliveUntil: now })
      yield* store.beat({ worker: other, aliveUntil: now })
      yield* store.leave(worker)
      yield* store.leave(worker)
      Check.equal(yield* beatsOf(home, [worker, other]), [{ worker: other, aliveUntil: now }], "one")
    })
  },
  {
    name: "forgetDead: those whose last beat ended before that time, and no other",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { home, now, other, worker } = yield* fresh
      yield* store.beat({ worker, aliveUntil: Timestamp.plus(now, -1) })
      yield* store.beat({ worker: other, aliveUntil: now })
      yield* store.forgetDead(now)
      Check.equal(yield* beatsOf(home, [worker, other]), [{ worker: other, aliveUntil: now }], "one")
    })
  }
]
