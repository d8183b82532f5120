import { Effect } from "effect"
import type { Beat, Lease, LeaseKind } from "../../src/leases/Lease.js"
import { LeaseStore } from "../../src/leases/LeaseStore.js"
import * as Entropy from "../../src/shared/Entropy.js"
import { WorkerId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"

/** A worker, and a kind of leases that only this case has. */
const fresh = Effect.gen(function* () {
  const home = yield* Entropy.id("home")
  const kind: LeaseKind = { kind: "outbox", home }
  return { kind, worker: yield* worker, other: yield* worker, now: yield* Timestamp.now }
})

const worker = Effect.map(Entropy.id("wrk"), (id) => WorkerId.make(id))

const never = (name: string): Lease => ({ name, owner: null, token: 0 })

const leasesOf = (kind: LeaseKind) =>
  Effect.gen(function* () {
    const { leases } = yield* (yield* LeaseStore).survey(kind)
    return byName(leases)
  })

const byName = (leases: ReadonlyArray<Lease>) => leases.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** The beats of these workers; the database has those of other cases too. */
const beatsOf = (kind: LeaseKind, workers: ReadonlyArray<WorkerId>) =>
  Effect.gen(function* () {
    const { beats } = yield* (yield* LeaseStore).survey(kind)
    return workers.flatMap((one): ReadonlyArray<Beat> => beats.filter((beat) => beat.worker === one))
  })

/** Rules of `LeaseStore`. */
export const leaseStoreContract: Contract<LeaseStore | Entropy.Entropy> = [
  {
    name: "beat: each worker's last one, also when it is earlier than the one before",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { kind, now, other, worker } = yield* fresh
      Check.equal(yield* beatsOf(kind, [worker, other]), [], "none before")
      yield* store.beat({ worker, aliveUntil: Timestamp.plus(now, 10) })
      yield* store.beat({ worker: other, aliveUntil: now })
      yield* store.beat({ worker, aliveUntil: Timestamp.plus(now, 7) })
      Check.equal(
        yield* beatsOf(kind, [worker, other]),
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
      const { kind, other, worker } = yield* fresh
      Check.equal(yield* store.take(kind, worker, []), [], "nothing asked")
      const taken = byName(yield* store.take(kind, worker, [never("b"), never("a")]))
      const expected = ["a", "b"].map((name) => ({ name, owner: worker, token: 1 }))
      Check.equal(taken, expected, "taken")
      Check.equal(yield* leasesOf(kind), expected, "stored")
      const [first = Check.fail("there is one")] = expected
      Check.equal(yield* store.take(kind, other, [first]), [{ name: "a", owner: other, token: 2 }], "by another one")
      yield* store.take(kind, other, [{ name: "a", owner: other, token: 2 }])
      Check.equal(
        yield* leasesOf(kind),
        [
          { name: "a", owner: other, token: 3 },
          { name: "b", owner: worker, token: 1 }
        ],
        "anew by its own owner"
      )
    })
  },
  {
    name: "take: nothing with a token that has changed, and the others all the same",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { kind, other, worker } = yield* fresh
      yield* store.take(kind, worker, [never("a")])
      Check.equal(
        yield* store.take(kind, other, [never("a"), never("b")]),
        [{ name: "b", owner: other, token: 1 }],
        "only the one that was free"
      )
      const ahead = { name: "a", owner: worker, token: 2 }
      Check.equal(yield* store.take(kind, other, [ahead]), [], "a token that was never given")
      Check.equal(
        yield* leasesOf(kind),
        [
          { name: "a", owner: worker, token: 1 },
          { name: "b", owner: other, token: 1 }
        ],
        "stored"
      )
    })
  },
  {
    name: "take: of many workers at once exactly one gets each lease",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { kind } = yield* fresh
      const names = Array.from({ length: 20 }, (_, index) => String(index))
      const rivals = yield* Effect.forEach(names.slice(0, 6), () => worker)
      const race = (from: ReadonlyArray<Lease>) =>
        Effect.map(
          Effect.forEach(rivals, (one, turn) => store.take(kind, one, turn % 2 === 0 ? from : from.toReversed()), {
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
      Check.equal(once, yield* leasesOf(kind), "as stored")
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
      const { kind, other, worker } = yield* fresh
      const taken = yield* store.take(kind, worker, [never("a"), never("b")])
      yield* store.take(kind, other, [{ name: "b", owner: worker, token: 1 }])
      yield* store.giveUp(kind, [...taken, never("c")])
      Check.equal(
        yield* leasesOf(kind),
        [
          { name: "a", owner: null, token: 1 },
          { name: "b", owner: other, token: 2 }
        ],
        "given up"
      )
      yield* store.giveUp(kind, [])
      Check.equal(
        yield* store.take(kind, other, [{ name: "a", owner: null, token: 1 }]),
        [{ name: "a", owner: other, token: 2 }],
        "taken again"
      )
    })
  },
  {
    name: "survey: the leases of one kind and home only",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const [one, two] = [yield* fresh, yield* fresh]
      yield* store.take(one.kind, one.worker, [never("a")])
      yield* store.take(two.kind, two.worker, [never("a"), never("b")])
      Check.equal(yield* leasesOf(one.kind), [{ name: "a", owner: one.worker, token: 1 }], "the first")
      Check.equal((yield* leasesOf(two.kind)).length, 2, "the second")
    })
  },
  {
    name: "leave: the worker is forgotten, and another one stays",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { kind, now, other, worker } = yield* fresh
      yield* store.beat({ worker, aliveUntil: now })
      yield* store.beat({ worker: other, aliveUntil: now })
      yield* store.leave(worker)
      yield* store.leave(worker)
      Check.equal(yield* beatsOf(kind, [worker, other]), [{ worker: other, aliveUntil: now }], "one")
    })
  },
  {
    name: "forgetDead: those whose last beat ended before that time, and no other",
    run: Effect.gen(function* () {
      const store = yield* LeaseStore
      const { kind, now, other, worker } = yield* fresh
      yield* store.beat({ worker, aliveUntil: Timestamp.plus(now, -1) })
      yield* store.beat({ worker: other, aliveUntil: now })
      yield* store.forgetDead(now)
      Check.equal(yield* beatsOf(kind, [worker, other]), [{ worker: other, aliveUntil: now }], "one")
    })
  }
]
