import { Bucket, Lease, LeaseStore } from "@place-access/domain/leases"
import { Timestamp, UserId, type WorkerId } from "@place-access/domain/shared"
import { bucketOf } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { holdLeases } from "../../src/leases/holdLeases.js"
import { inVirtualTime } from "../support/webhooks.js"

const KIND: Lease.LeaseKind = { kind: "outbox", home: "outbox" }
const NAMES = Array.from({ length: 8 }, (_, index) => String(index))
const LOOK = "2 seconds"

type Store = typeof LeaseStore.Service

/** A worker that looks whenever it is asked, and may be stopped in any way. */
const worker = Effect.map(holdLeases(KIND, NAMES, LOOK), (leases) => ({
  ...leases,
  /** Works for this long: asks what it holds every half second. */
  works: (millis: number) => Effect.repeatN(Effect.zipLeft(leases.current, Effect.sleep(500)), millis / 500 - 1)
}))

const names = (held: ReadonlyArray<string>) => held.toSorted()

/** Runs `program` over a changed store. */
const over = <A, E, R>(change: (store: Store) => Partial<Store>, program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(LeaseStore, (store) => Effect.provideService(program, LeaseStore, { ...store, ...change(store) }))

describe("the leases that a worker holds", () => {
  it("the only worker holds everything at once, and goes on holding it", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const one = yield* worker
        expect(names(yield* one.current)).toEqual(NAMES)
        yield* one.works(30_000)
        expect(names(yield* one.current)).toEqual(NAMES)
      })
    )
  })

  it("looks once in `lookEvery`, however often it is asked", () => {
    inVirtualTime(
      Effect.gen(function* () {
        let looks = 0
        yield* over(
          (store) => ({ survey: (kind) => Effect.suspend(() => (looks++, store.survey(kind))) }),
          Effect.flatMap(worker, ({ works }) => works(20_000))
        )
        expect(looks).toBe(10)
      })
    )
  })

  it("a worker that comes has its share after the next look of the one that had everything", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        yield* one.current
        expect(yield* two.current).toEqual([])
        yield* Effect.sleep(LOOK)
        yield* one.current
        // No wait: a worker that is short looks whenever it is asked.
        expect([(yield* one.current).length, (yield* two.current).length]).toEqual([4, 4])
      })
    )
  })

  it("a worker keeps what is in use until the work has ended, and begins no work of what it does not hold", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const buckets = holdLeases(Bucket.KIND, Bucket.NAMES, LOOK)
        const [one, two] = [yield* buckets, yield* buckets]
        const person = UserId.make("usr_somebody")
        const own = String(bucketOf(person))
        yield* one.current
        expect(yield* two.using(person, Effect.void)).toEqual(Option.none())
        const work = yield* Effect.fork(one.using(person, Effect.sleep("9 seconds")))
        for (let looks = 0; looks < 8; looks++) {
          yield* Effect.sleep("1 second")
          yield* two.current
          expect(yield* one.current).toContain(own)
          expect(yield* two.current).not.toContain(own)
        }
        expect([one.crew().size, two.crew().size]).toEqual([2, 2])
        expect(new Set([one.crew().place, two.crew().place])).toEqual(new Set([0, 1]))
        yield* Fiber.join(work)
        const [leaving, began] = [yield* Effect.fork(one.leave), yield* Timestamp.now]
        yield* Fiber.join(leaving)
        expect((yield* Timestamp.now) - began, "nothing was in use").toBe(0)
        yield* Effect.sleep(LOOK)
        expect(yield* two.current).toContain(own)
      })
    )
  })

  it("a worker that leaves waits two seconds for what is in use, and then leaves all the same", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const leases = yield* holdLeases(Bucket.KIND, Bucket.NAMES, LOOK)
        yield* leases.current
        yield* Effect.fork(leases.using(UserId.make("usr_somebody"), Effect.never))
        yield* Effect.yieldNow()
        const began = yield* Timestamp.now
        yield* leases.leave
        expect((yield* Timestamp.now) - began).toBe(2_000)
        expect((yield* (yield* LeaseStore).survey(Bucket.KIND)).beats).toEqual([])
      })
    )
  })

  it("a worker that leaves is replaced at the next look, one that dies when its life is over and not before", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two, three] = [yield* worker, yield* worker, yield* worker]
        yield* one.current
        yield* one.leave
        expect(names(yield* two.current)).toEqual(NAMES)
        // `two` dies here: nobody asks it any more.
        yield* Effect.sleep("9999 millis")
        expect(yield* three.current).toEqual([])
        yield* Effect.sleep(1)
        expect(names(yield* three.current)).toEqual(NAMES)
      })
    )
  })

  it("a worker that was away for too long holds nothing of what others took, and takes the rest anew", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        yield* one.current
        const store = yield* LeaseStore
        const tokens = Effect.map(store.survey(KIND), ({ leases }) => leases.map(({ token }) => token))
        expect(new Set(yield* tokens)).toEqual(new Set([1]))
        yield* Effect.sleep("10 seconds")
        yield* one.current
        expect(new Set(yield* tokens), "taken anew, although nobody was there to take them").toEqual(new Set([2]))
        yield* Effect.sleep("10 seconds")
        expect(names(yield* two.current)).toEqual(NAMES)
        expect(yield* one.current).toEqual([])
      })
    )
  })

  it("when the clock is set back, the dead are not taken for living, nor the living for dead", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const store = yield* LeaseStore
        const [one, two] = [yield* worker, yield* worker]
        yield* one.current
        const { beats } = yield* store.survey(KIND)
        for (const { aliveUntil, worker } of beats) {
          yield* store.beat({ worker, aliveUntil: Timestamp.plus(aliveUntil, Timestamp.HOUR) })
        }
        expect(names(yield* two.current), "that beat was made an hour ahead").toEqual(NAMES)
        yield* Effect.sleep(LOOK)
        expect(yield* one.current).toEqual([])
      })
    )
  })

  it("an answer that is lost leaves no lease without an owner", () => {
    inVirtualTime(
      Effect.gen(function* () {
        let isLost = true
        yield* over(
          (store) => ({
            take: (...args) =>
              Effect.flatMap(store.take(...args), (taken) => (isLost ? Effect.die("lost") : Effect.succeed(taken)))
          }),
          Effect.gen(function* () {
            const one = yield* worker
            expect((yield* Effect.exit(one.current))._tag).toBe("Failure")
            isLost = false
            yield* Effect.sleep(LOOK)
            expect(names(yield* one.current)).toEqual(NAMES)
          })
        )
      })
    )
  })
})

/**
 * Workers that come, hang, leave and die, over a store that answers late. Returns what was wrong: a worker that took a
 * lease for its own although somebody else had taken it since, and at the end leases of nobody and unfair shares.
 */
const faultsOf = (seed: number, plant: (store: Store) => Partial<Store>): ReadonlyArray<string> =>
  inVirtualTime(
    Effect.gen(function* () {
      const wrong = new Set<string>()
      const lastTakers = new Map<string, WorkerId>()
      let state = seed
      /** The next of a fixed row of delays that look random. */
      const delay = () => (state = (state * 16_807) % 2_147_483_647) % 400
      const slow = <A, E>(answer: Effect.Effect<A, E>) =>
        Effect.suspend(() => Effect.zipLeft(Effect.delay(answer, delay()), Effect.sleep(delay())))
      const watched = (store: Store): Partial<Store> => ({
        beat: (beat) => slow(store.beat(beat)),
        survey: (kind) => slow(store.survey(kind)),
        take: (kind, worker, leases) =>
          slow(
            Effect.tap(store.take(kind, worker, leases), (taken) =>
              Effect.sync(() => {
                for (const { name } of taken) lastTakers.set(name, worker)
              })
            )
          )
      })
      yield* over(
        plant,
        over(
          watched,
          Effect.gen(function* () {
            /** Works for a while and checks each time that what it holds is its own. */
            const living = (seconds: number) =>
              Effect.gen(function* () {
                let own: WorkerId | undefined
                const noted = ({ beat }: Store): Partial<Store> => ({
                  beat: (one) =>
                    Effect.zipRight(
                      Effect.sync(() => void (own = one.worker)),
                      beat(one)
                    )
                })
                const one = yield* over(noted, worker)
                const until = (yield* Timestamp.now) + seconds * Timestamp.SECOND
                while ((yield* Timestamp.now) < until) {
                  for (const name of yield* one.current) {
                    if (lastTakers.get(name) !== own) wrong.add("two owners at once")
                  }
                  yield* Effect.sleep(250)
                }
                const { leases } = yield* (yield* LeaseStore).survey(KIND)
                return { ...one, count: leases.filter(({ owner }) => owner === own).length }
              })
            const [first, second] = yield* Effect.all(
              [
                living(60),
                // Comes when only the first one is left, and has everything.
                Effect.delay(living(12), "48 seconds"),
                // Comes with the first one, and leaves.
                Effect.flatMap(living(15), ({ leave }) => leave),
                // Dies, and another one comes while it is thought alive.
                Effect.delay(living(10), "8 seconds"),
                // Hangs for longer than its life and comes back.
                Effect.delay(
                  Effect.flatMap(living(5), ({ current }) => Effect.zipRight(Effect.sleep("15 seconds"), current)),
                  "12 seconds"
                )
              ],
              { concurrency: "unbounded" }
            )
            const shares = [first.count, second.count] as const
            if (shares[0] + shares[1] < NAMES.length) wrong.add("a lease of nobody")
            if (Math.abs(shares[0] - shares[1]) > 1) wrong.add("an unfair share")
          })
        )
      )
      return [...wrong]
    })
  )

const SEEDS = [1, 2, 3, 4, 5, 6]

const faults = (plant: (store: Store) => Partial<Store> = () => ({})) => SEEDS.flatMap((seed) => faultsOf(seed, plant))

describe("workers that come, hang, leave and die", () => {
  it("hold each lease alone, and the two that are left have half of them each", () => {
    expect(faults()).toEqual([])
  })

  it.each<readonly [string, string, (store: Store) => Partial<Store>]>([
    [
      "two owners at once",
      "others are thought dead",
      ({ survey }) => ({ survey: (kind) => Effect.map(survey(kind), ({ leases }) => ({ leases, beats: [] })) })
    ],
    [
      "two owners at once",
      "the token is not compared",
      ({ survey, take }) => ({
        take: (kind, worker, leases) =>
          Effect.flatMap(survey(kind), (now) =>
            take(
              kind,
              worker,
              leases.map((lease) => now.leases.find(({ name }) => name === lease.name) ?? lease)
            )
          )
      })
    ],
    [
      "a lease of nobody",
      "the dead live for ever",
      ({ survey }) => ({
        survey: (kind) =>
          Effect.gen(function* () {
            const aliveUntil = Lease.aliveUntil(yield* Timestamp.now)
            const { beats, leases } = yield* survey(kind)
            return { leases, beats: beats.map(({ worker }) => ({ worker, aliveUntil })) }
          })
      })
    ],
    ["an unfair share", "nothing is given up", () => ({ giveUp: () => Effect.void })]
  ])("planted: %s, because %s", (fault, _, plant) => {
    expect(faults(plant)).toContain(fault)
  })
})
