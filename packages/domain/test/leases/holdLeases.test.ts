import { holdLeases, Lease, LeaseStore, type PeopleLeases } from "@place-access/domain/leases"
import { Timestamp, UserId, type WorkerId } from "@place-access/domain/shared"
import { bucketOf } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { inVirtualTime } from "../support/webhooks.js"

const BUCKETS = Array.from({ length: 8 }, (_, index) => index)
const NAMES = { people: BUCKETS.map(String), chores: ["listeners"] }
const LOOK = "2 seconds"

/** One person of each bucket. */
const PEOPLE = BUCKETS.map((bucket) => {
  const ids = Array.from({ length: 2_000 }, (_, index) => UserId.make(`usr_${index}`))
  return ids.find((id) => bucketOf(id) === bucket) ?? UserId.make("nobody")
})
const SOMEBODY = PEOPLE[0] ?? UserId.make("nobody")

type Store = typeof LeaseStore.Service

/** A worker that reads the leases when the test calls `look`. The test decides whether and how the worker ends. */
const worker = Effect.map(holdLeases(LOOK, NAMES), (leases) => ({
  ...leases,
  /** Calls `look` every half second, for `millis` milliseconds. */
  works: (millis: number) => Effect.repeatN(Effect.zipLeft(leases.look, Effect.sleep(500)), millis / 500 - 1)
}))

const sorted = (held: ReadonlyArray<number>) => held.toSorted((a, b) => a - b)

/** Runs `program` with replacements for some methods of the lease store. */
const over = <A, E, R>(change: (store: Store) => Partial<Store>, program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(LeaseStore, (store) => Effect.provideService(program, LeaseStore, { ...store, ...change(store) }))

describe("the leases that a worker holds", () => {
  it("the only worker holds everything at once, and goes on holding it", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const one = yield* worker
        expect(sorted(yield* one.look)).toEqual(BUCKETS)
        yield* one.works(30_000)
        expect(sorted(yield* one.look)).toEqual(BUCKETS)
      })
    )
  })

  it("looks at most once in `lookEvery`, also when it is asked again", () => {
    inVirtualTime(
      Effect.gen(function* () {
        let looks = 0
        yield* over(
          (store) => ({ survey: (home) => Effect.suspend(() => (looks++, store.survey(home))) }),
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
        yield* one.look
        expect(yield* two.look).toEqual([])
        yield* Effect.sleep(LOOK)
        yield* one.look
        // A worker with fewer leases than its share reads the leases four times as often.
        yield* Effect.sleep("500 millis")
        expect([(yield* one.look).length, (yield* two.look).length]).toEqual([4, 4])
      })
    )
  })

  it("a worker knows its place among all that live, and that it has too many because all of them are in use", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        yield* one.look
        expect(one.crew()).toMatchObject({ size: 1, place: 0, hasSurplus: false })
        const work = yield* Effect.forkAll(PEOPLE.map((person) => one.people.using(person, Effect.sleep("3 seconds"))))
        yield* two.look
        yield* Effect.sleep(LOOK)
        yield* one.look
        expect([one.crew().size, two.crew().size, one.crew().hasSurplus]).toEqual([2, 2, true])
        expect(new Set([one.crew().place, two.crew().place])).toEqual(new Set([0, 1]))
        yield* Fiber.join(work)
        yield* Effect.sleep(LOOK)
        yield* one.look
        expect(one.crew().hasSurplus).toBe(false)
      })
    )
  })

  it("a worker knows when it last took a bucket: a look that only gives up changes nothing, one after a sleep does", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        expect(one.crew().heldSince).toBe(null)
        const first = yield* Timestamp.now
        yield* one.look
        yield* Effect.sleep(LOOK)
        yield* one.look
        expect(one.crew().heldSince).toBe(first)
        const second = yield* Timestamp.now
        yield* two.look
        yield* Effect.sleep(LOOK)
        yield* one.look
        expect((yield* one.look).length).toBe(BUCKETS.length / 2)
        expect(one.crew().heldSince).toBe(first)
        yield* two.look
        expect(two.crew().heldSince).toBeGreaterThan(second)
        yield* Effect.sleep("1 minute")
        const third = yield* Timestamp.now
        yield* one.look
        expect(one.crew().heldSince).toBe(third)
      })
    )
  })

  it("a worker that leaves is replaced at the next look, one that dies when its life is over and not before", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two, three] = [yield* worker, yield* worker, yield* worker]
        yield* one.look
        yield* one.leave
        expect(sorted(yield* two.look)).toEqual(BUCKETS)
        // From here on, nothing calls `look` of worker `two`. To the other workers, `two` seems to be dead.
        yield* Effect.sleep("9999 millis")
        expect(yield* three.look).toEqual([])
        yield* Effect.sleep("500 millis")
        expect(sorted(yield* three.look)).toEqual(BUCKETS)
      })
    )
  })

  it("a worker that was away for too long holds nothing of what others took, and takes the rest anew", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        yield* one.look
        const store = yield* LeaseStore
        const tokens = Effect.map(store.survey(Lease.HOME), ({ leases }) => leases.map(({ token }) => token))
        expect(new Set(yield* tokens)).toEqual(new Set([1]))
        yield* Effect.sleep("10 seconds")
        yield* one.look
        expect(new Set(yield* tokens), "taken anew, although nobody was there to take them").toEqual(new Set([2]))
        yield* Effect.sleep("10 seconds")
        expect(sorted(yield* two.look)).toEqual(BUCKETS)
        expect(yield* one.look).toEqual([])
      })
    )
  })

  it("when the clock is set back, the dead are not taken for living, nor the living for dead", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const store = yield* LeaseStore
        const [one, two] = [yield* worker, yield* worker]
        yield* one.look
        const { beats } = yield* store.survey(Lease.HOME)
        for (const { aliveUntil, worker } of beats) {
          yield* store.beat({ worker, aliveUntil: Timestamp.plus(aliveUntil, Timestamp.HOUR) })
        }
        expect(sorted(yield* two.look), "that beat was made an hour ahead").toEqual(BUCKETS)
        yield* Effect.sleep(LOOK)
        expect(yield* one.look).toEqual([])
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
            expect((yield* Effect.exit(one.look))._tag).toBe("Failure")
            isLost = false
            yield* Effect.sleep(LOOK)
            expect(sorted(yield* one.look)).toEqual(BUCKETS)
          })
        )
      })
    )
  })
})

describe("pieces of work [leases-2]", () => {
  /** A piece of work that goes on until `end` is run. */
  const piece = Effect.map(Deferred.make<void>(), (done) => ({
    work: Deferred.await(done),
    end: Deferred.succeed(done, undefined)
  }))

  it("a lease is not given up while a piece of its work goes on, and then at the next look", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        yield* one.look
        const { end, work } = yield* piece
        const working = yield* Effect.fork(
          Effect.forEach(PEOPLE, (person) => one.people.using(person, work), { concurrency: "unbounded" })
        )
        yield* Effect.sleep(1)
        yield* two.look
        for (let look = 0; look < 20; look++) {
          yield* Effect.sleep(LOOK)
          expect([(yield* one.look).length, yield* two.look]).toEqual([8, []])
        }
        yield* end
        yield* Fiber.join(working)
        yield* Effect.sleep(LOOK)
        yield* one.look
        expect((yield* two.look).length).toBe(4)
      })
    )
  })

  it("nothing is begun whose lease is not held: before the first look, after the life, and a task of nobody", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const one = yield* worker
        const done = Option.some("done")
        const begun = Effect.all([
          one.people.using(SOMEBODY, Effect.succeed("done")),
          one.chores.using("listeners", Effect.succeed("done"))
        ])
        /** Checks that work waits until the worker has read the leases, and then begins. */
        const waits = Effect.gen(function* () {
          const waiting = yield* Effect.fork(begun)
          yield* Effect.sleep("1 hour")
          expect(waiting.unsafePoll()).toBeNull()
          yield* one.look
          expect(yield* Fiber.join(waiting)).toEqual([done, done])
        })
        yield* waits
        expect(yield* one.chores.using("dead_workers", Effect.succeed("done")), "a lease of nobody").toEqual(
          Option.none()
        )
        yield* Effect.sleep(Lease.LIFE)
        yield* waits
      })
    )
  })

  it("a piece that fails or is interrupted is over", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [one, two] = [yield* worker, yield* worker]
        yield* one.look
        yield* Effect.exit(one.people.using(SOMEBODY, Effect.fail("no")))
        yield* Fiber.interrupt(yield* Effect.fork(one.people.using(SOMEBODY, Effect.never)))
        yield* one.leave
        yield* two.look
        expect(sorted(yield* two.look)).toEqual(BUCKETS)
      })
    )
  })

  it("a worker that leaves begins nothing more, gives up at once what is not in use, and waits for its pieces, at most for eight seconds", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const living = Effect.map(
          Effect.flatMap(LeaseStore, (store) => store.survey(Lease.HOME)),
          ({ beats }) => beats.length
        )
        const [one, two] = [yield* worker, yield* worker]
        yield* one.look
        const { end, work } = yield* piece
        yield* Effect.fork(one.people.using(SOMEBODY, work))
        yield* Effect.sleep(1)
        const leaving = yield* Effect.fork(one.leave)
        yield* Effect.sleep("1 second")
        expect([yield* living, yield* one.people.using(SOMEBODY, Effect.void)]).toEqual([1, Option.none()])
        const { leases } = yield* (yield* LeaseStore).survey(Lease.HOME)
        expect(leases.filter(({ owner }) => owner !== null).map(({ name }) => name)).toEqual(["0"])
        yield* end
        yield* Fiber.join(leaving)
        expect(yield* living).toBe(0)
        yield* two.look
        yield* Effect.fork(two.people.using(SOMEBODY, Effect.never))
        yield* Effect.sleep(1)
        const before = yield* Timestamp.now
        yield* two.leave
        expect((yield* Timestamp.now) - before).toBe(8_000)
        expect(yield* living, "its life runs out instead").toBe(1)
      })
    )
  })

  it("a loop that waits for a look goes on when the worker leaves", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const one = yield* worker
        const waiting = yield* Effect.fork(one.people.using(SOMEBODY, Effect.void))
        yield* Effect.sleep(1)
        yield* one.leave
        expect(yield* Fiber.join(waiting)).toEqual(Option.none())
      })
    )
  })

  it("who waits for the next lease hears of it once, also when it was taken before the wait", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const one = yield* worker
        const first = yield* one.nextTaken
        yield* one.look
        yield* first
        const second = yield* one.nextTaken
        yield* one.works(10_000)
        expect(Option.isNone(yield* Effect.timeoutOption(second, 1))).toBe(true)
      })
    )
  })
})

/**
 * Runs workers that start, hang, stop and die, with a store that answers late. Returns what was wrong. During the run:
 * a worker that still used a lease after another worker had taken the lease, or two workers at the work of one person.
 * At the end: free leases, or unfair shares.
 */
const faultsOf = (seed: number, plant: (store: Store) => Partial<Store>, using: Using): ReadonlyArray<string> =>
  inVirtualTime(
    Effect.gen(function* () {
      const wrong = new Set<string>()
      const lastTakers = new Map<string, WorkerId>()
      const workedAt = new Map<UserId, number>()
      let state = seed
      /** The next delay of a fixed pseudo-random sequence, in milliseconds. */
      const delay = () => (state = (state * 16_807) % 2_147_483_647) % 400
      const slow = <A, E>(answer: Effect.Effect<A, E>) =>
        Effect.suspend(() => Effect.zipLeft(Effect.delay(answer, delay()), Effect.sleep(delay())))
      const watched = (store: Store): Partial<Store> => ({
        beat: (beat) => slow(store.beat(beat)),
        survey: (home) => slow(store.survey(home)),
        take: (home, worker, leases) =>
          slow(
            Effect.tap(store.take(home, worker, leases), (taken) =>
              Effect.sync(() => {
                for (const { kind, name } of taken) lastTakers.set(`${kind} ${name}`, worker)
              })
            )
          )
      })
      yield* over(
        plant,
        over(
          watched,
          Effect.gen(function* () {
            /** A piece of work for a person. It takes at most 3.2 seconds. */
            const work = (person: UserId) =>
              Effect.acquireUseRelease(
                Effect.sync(() => {
                  const count = (workedAt.get(person) ?? 0) + 1
                  workedAt.set(person, count)
                  if (count > 1) wrong.add("two at one person's work")
                }),
                () => Effect.sleep(8 * delay()),
                () => Effect.sync(() => void workedAt.set(person, (workedAt.get(person) ?? 0) - 1))
              )
            /**
             * A worker that works for some seconds. Each time the worker reads the leases, it checks that no other
             * worker has taken one of this worker's leases.
             */
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
                const pieces = yield* Effect.fork(
                  Effect.forever(
                    Effect.suspend(() => {
                      const person = PEOPLE[delay() % PEOPLE.length] ?? SOMEBODY
                      return Effect.zipRight(using(one.people, person, work(person)), Effect.sleep(10))
                    })
                  )
                )
                while ((yield* Timestamp.now) < until) {
                  for (const bucket of yield* one.look) {
                    if (lastTakers.get(`people ${bucket}`) !== own) wrong.add("two owners at once")
                  }
                  yield* Effect.sleep(250)
                }
                // The worker stops its work here, before it may hang. Another worker may take over the work of a worker
                // that hangs, and the test would then wrongly report that two workers work for one person.
                yield* Fiber.interrupt(pieces)
                const { leases } = yield* (yield* LeaseStore).survey(Lease.HOME)
                const owned = leases.filter(({ owner }) => owner === own)
                return { ...one, share: owned.filter(({ kind }) => kind === "people").length, count: owned.length }
              })
            const [first, second] = yield* Effect.all(
              [
                living(60),
                // A worker that starts when the first worker is alone and has all leases. At the end, both workers must
                // have a fair share of the leases.
                Effect.delay(living(12), "48 seconds"),
                // A worker that begins together with the first worker, and leaves.
                Effect.flatMap(living(15), ({ leave }) => leave),
                // A worker that dies. Another worker starts before the last heartbeat of the dead worker has expired.
                Effect.delay(living(10), "8 seconds"),
                // A worker that hangs until its last heartbeat has expired, and then works again.
                Effect.delay(
                  Effect.flatMap(living(5), ({ look }) => Effect.zipRight(Effect.sleep("15 seconds"), look)),
                  "12 seconds"
                )
              ],
              { concurrency: "unbounded" }
            )
            if (first.count + second.count < BUCKETS.length + NAMES.chores.length) wrong.add("a lease of nobody")
            if (Math.abs(first.share - second.share) > 1) wrong.add("an unfair share")
          })
        )
      )
      return [...wrong]
    })
  )

const SEEDS = [1, 2, 3, 4, 5, 6]

type Using = <E, R>(
  people: PeopleLeases,
  person: UserId,
  work: Effect.Effect<void, E, R>
) => Effect.Effect<unknown, E, R>

const marked: Using = (people, person, work) => people.using(person, work)

const faults = (plant: (store: Store) => Partial<Store> = () => ({}), using = marked) =>
  SEEDS.flatMap((seed) => faultsOf(seed, plant, using))

describe("workers that come, hang, leave and die", () => {
  it("hold each lease alone, and the two that are left have half of them each", () => {
    expect(faults()).toEqual([])
  })

  it.each<readonly [string, string, (store: Store) => Partial<Store>]>([
    [
      "two owners at once",
      "others are thought dead",
      ({ survey }) => ({ survey: (home) => Effect.map(survey(home), ({ leases }) => ({ leases, beats: [] })) })
    ],
    [
      "two owners at once",
      "the token is not compared",
      ({ survey, take }) => ({
        take: (home, worker, leases) =>
          Effect.flatMap(survey(home), (now) =>
            take(
              home,
              worker,
              leases.map(
                (lease) => now.leases.find(({ kind, name }) => kind === lease.kind && name === lease.name) ?? lease
              )
            )
          )
      })
    ],
    [
      "a lease of nobody",
      "the dead live without end",
      ({ survey }) => ({
        survey: (home) =>
          Effect.gen(function* () {
            const aliveUntil = Lease.aliveUntil(yield* Timestamp.now)
            const { beats, leases } = yield* survey(home)
            return { leases, beats: beats.map(({ worker }) => ({ worker, aliveUntil })) }
          })
      })
    ],
    ["an unfair share", "nothing is given up", () => ({ giveUp: () => Effect.void })],
    [
      "a lease of nobody",
      "nobody takes the task of nobody",
      ({ take }) => ({
        take: (home, worker, leases) =>
          take(
            home,
            worker,
            leases.filter(({ kind }) => kind === "people")
          )
      })
    ]
  ])("planted: %s, because %s", (fault, _, plant) => {
    expect(faults(plant)).toContain(fault)
  })

  it("planted: a lease is given up in the middle of a piece of its work, and two workers are at one person's work", () => {
    const unmarked: Using = (people, person, work) =>
      Effect.flatMap(people.buckets, (buckets) => (buckets.includes(bucketOf(person)) ? work : Effect.void))
    expect(faults(undefined, unmarked)).toContain("two at one person's work")
  })
})
