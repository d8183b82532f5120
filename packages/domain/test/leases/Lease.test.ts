import { Lease } from "@place-access/domain/leases"
import { Timestamp, WorkerId } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

const NOW = Timestamp.make(Date.UTC(2026, 0, 15, 12))
const [A, B, C] = ["wrk_a", "wrk_b", "wrk_c"].map((id) => WorkerId.make(id)) as [WorkerId, WorkerId, WorkerId]

const alive = (worker: WorkerId): Lease.Beat => ({ worker, aliveUntil: Lease.aliveUntil(NOW) })

/** Leases whose names are their indexes. `owned([A, null])` is a lease of the worker A, and a free lease. */
const owned = (owners: ReadonlyArray<WorkerId | null>): ReadonlyArray<Lease.Lease> =>
  owners.map((owner, index) => ({ kind: "people", name: String(index), owner, token: 7 }))

const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

/** What `Lease.move` decides for a worker that knows all its own leases. */
const moveOf = (worker: WorkerId, leases: ReadonlyArray<Lease.Lease>, workers: ReadonlyArray<WorkerId>) =>
  Lease.move(
    worker,
    { leases, beats: workers.map(alive) },
    idle(leases.filter(({ owner }) => owner === worker).map(({ name }) => name)),
    NOW
  )

/** A worker that has these leases, and does no work under them. */
const idle = (names: Iterable<string>): Lease.OwnLeases => ({ held: new Set(names), inUse: new Set() })

const counts = ({ giveUp, take }: Lease.LeaseChanges) => ({ take: take.length, giveUp: giveUp.length })

describe("Lease.move: what a worker takes and gives up after a survey", () => {
  it("the only worker takes everything, also what it was not told that others have", () => {
    expect(counts(moveOf(A, owned(times(64, null)), [A]))).toEqual({ take: 64, giveUp: 0 })
    expect(counts(moveOf(A, owned(times(64, null)), []))).toEqual({ take: 64, giveUp: 0 })
  })

  it("the leases of a worker that lives no longer are free", () => {
    expect(counts(moveOf(A, owned(times(64, B)), [A]))).toEqual({ take: 64, giveUp: 0 })
    expect(counts(moveOf(A, owned(times(64, B)), [A, B]))).toEqual({ take: 0, giveUp: 0 })
  })

  it("below the lower share it takes as many as it lacks; it is short while nothing is free", () => {
    const leases = owned([...times(4, B), ...times(4, null)])
    expect(counts(moveOf(A, leases, [A, B]))).toEqual({ take: 4, giveUp: 0 })
    expect(moveOf(A, leases, [A, B]).isShort).toBe(false)
    expect(moveOf(A, owned(times(8, B)), [A, B]).isShort).toBe(true)
  })

  it("at the lower share it takes one more, but only when nobody is short", () => {
    const even = owned([...times(2, A), ...times(2, B), ...times(2, C), null])
    expect(counts(moveOf(A, even, [A, B, C]))).toEqual({ take: 1, giveUp: 0 })
    const uneven = owned([...times(2, A), ...times(2, B), ...times(1, C), null, null])
    expect(counts(moveOf(A, uneven, [A, B, C]))).toEqual({ take: 0, giveUp: 0 })
    expect(counts(moveOf(C, uneven, [A, B, C]))).toEqual({ take: 1, giveUp: 0 })
  })

  it("above the upper share it gives up the rest", () => {
    expect(counts(moveOf(A, owned(times(7, A)), [A, B]))).toEqual({ take: 0, giveUp: 4 })
    expect(counts(moveOf(A, owned(times(7, A)), [A]))).toEqual({ take: 0, giveUp: 0 })
  })

  it("at the upper share it gives one up when somebody is short and nothing is free", () => {
    const leases = owned([...times(3, A), ...times(3, B), C])
    expect(counts(moveOf(A, leases, [A, B, C]))).toEqual({ take: 0, giveUp: 1 })
    const withFree = owned([...times(3, A), ...times(2, B), C, null])
    expect(counts(moveOf(A, withFree, [A, B, C]))).toEqual({ take: 0, giveUp: 0 })
  })

  it("workers that look at the same time begin at different free leases", () => {
    const leases = owned(times(64, null))
    const [first, second] = [moveOf(A, leases, [A, B]), moveOf(B, leases, [A, B])]
    const names = [...first.take, ...second.take].map(({ name }) => name)
    expect(new Set(names).size).toBe(64)
  })

  it("a lease of its own whose token it does not have is taken again, or given up first", () => {
    const survey = { leases: owned(times(4, A)), beats: [alive(A)] }
    const second = Lease.move(A, survey, idle(["0", "1"]), NOW)
    expect(second.take.map(({ name }) => name)).toEqual(["2", "3"])
    const two = Lease.move(A, { ...survey, beats: [alive(A), alive(B)] }, idle(["2", "3"]), NOW)
    expect(two.giveUp.map(({ name }) => name)).toEqual(["0", "1"])
    expect(two.take).toEqual([])
  })

  it("a lease that is in use is not given up: others are, and when none is left the worker has too many", () => {
    const survey = { leases: owned(times(4, A)), beats: [alive(A), alive(B)] }
    const held = new Set(["0", "1", "2", "3"])
    const moved = (...inUse: ReadonlyArray<string>) => Lease.move(A, survey, { held, inUse: new Set(inUse) }, NOW)
    const given = (...inUse: ReadonlyArray<string>) => moved(...inUse).giveUp.map(({ name }) => name)
    expect(given("0")).toEqual(["1", "2"])
    expect(given("0", "1", "2")).toEqual(["3"])
    expect(given(...held)).toEqual([])
    expect([moved("0", "1").hasSurplus, moved("0", "1", "2").hasSurplus]).toEqual([false, true])
  })

  it("all living workers agree on their order", () => {
    const dead = { worker: C, aliveUntil: NOW }
    expect([A, B].map((worker) => Lease.crew(worker, [alive(B), dead, alive(A)], NOW))).toEqual(times(2, [A, B]))
    expect(Lease.crew(C, [alive(A)], NOW)).toEqual([A, C])
  })

  it("a beat counts until its time, and not when it lies further ahead than any beat of now", () => {
    const beat = (aliveUntil: number) => Lease.isAlive({ worker: A, aliveUntil: Timestamp.make(aliveUntil) }, NOW)
    expect([beat(NOW), beat(NOW + 1)]).toEqual([false, true])
    expect([beat(NOW + 2 * Lease.LIFE), beat(NOW + 2 * Lease.LIFE + 1)]).toEqual([true, false])
  })
})

/** A database of leases, and workers that read it, one at a time and in any order. */
class Cluster {
  readonly living = new Set<WorkerId>()
  leases: ReadonlyArray<Lease.Lease>
  private readonly decide: typeof Lease.move

  constructor(count: number, decide: typeof Lease.move = Lease.move) {
    this.leases = owned(times(count, null))
    this.decide = decide
  }

  look(worker: WorkerId): void {
    const own = this.leases.filter(({ owner }) => owner === worker).map(({ name }) => name)
    const survey = { leases: this.leases, beats: [...this.living].map(alive) }
    const { giveUp, take } = this.decide(worker, survey, idle(own), NOW)
    this.leases = this.leases.map((lease) =>
      giveUp.includes(lease)
        ? { ...lease, owner: null }
        : take.includes(lease)
          ? { ...lease, owner: worker, token: lease.token + 1 }
          : lease
    )
  }

  /** Lets each live worker read the leases four times. */
  settle(): void {
    for (let round = 0; round < 4; round++) for (const worker of this.living) this.look(worker)
  }

  /**
   * After all workers have read the leases a few times, every lease should have an owner, and the shares should differ
   * by at most one. Returns a text for each violation.
   */
  faults(): ReadonlyArray<string> {
    if (this.living.size === 0) return []
    const shares = [...this.living].map((worker) => this.leases.filter(({ owner }) => owner === worker).length)
    const total = shares.reduce((sum, share) => sum + share, 0)
    return [
      ...(total === this.leases.length ? [] : [`${this.leases.length - total} leases are nobody's`]),
      ...(Math.max(...shares) - Math.min(...shares) > 1 ? [`the shares are ${shares.join(", ")}`] : [])
    ]
  }
}

/** There are only a few workers, so that a random event often concerns a live worker. */
const WORKERS = Array.from({ length: 4 }, (_, index) => WorkerId.make(`wrk_${index}`))

type Happening = readonly ["comes" | "goes" | "looks", WorkerId]
const happenings: fc.Arbitrary<ReadonlyArray<Happening>> = fc.array(
  fc.tuple(fc.constantFrom("comes", "goes", "looks", "looks"), fc.constantFrom(...WORKERS)) as fc.Arbitrary<Happening>,
  { maxLength: 40 }
)
const sizes = fc.oneof(fc.constantFrom(0, 1, 2, 8, 9, 10, 63, 64, 65), fc.integer({ min: 0, max: 70 }))

const faultsAfter = (size: number, life: ReadonlyArray<Happening>, decide?: typeof Lease.move) => {
  const cluster = new Cluster(size, decide)
  for (const [what, worker] of life) {
    if (what === "comes") cluster.living.add(worker)
    if (what === "goes") cluster.living.delete(worker)
    if (what === "looks" && cluster.living.has(worker)) cluster.look(worker)
  }
  cluster.settle()
  return { cluster, faults: cluster.faults() }
}

describe("workers that come, go and look in any order", () => {
  it("have fair shares of all leases after a few looks each, and then nothing moves any more", () => {
    fc.assert(
      fc.property(sizes, happenings, (size, life) => {
        const { cluster, faults } = faultsAfter(size, life)
        expect(faults).toEqual([])
        const before = cluster.leases
        cluster.settle()
        expect(cluster.leases).toEqual(before)
      })
    )
  })

  it.each<readonly [string, typeof Lease.move]>([
    ["a dead worker's leases stay its own", (...args) => ({ ...Lease.move(...args), take: freeOnly(args[1], args) })],
    ["nothing is given up", (...args) => ({ ...Lease.move(...args), giveUp: [] })],
    [
      "what is given up is one too many",
      (...args) => {
        const moved = Lease.move(...args)
        const own = args[1].leases.filter(({ owner }) => owner === args[0])
        return { ...moved, giveUp: own.slice(0, moved.giveUp.length + 1) }
      }
    ],
    ["nobody takes the one more", (...args) => ({ ...Lease.move(...args), take: unlessOne(Lease.move(...args).take) })]
  ])("planted: %s, and the rule above is broken", (_, decide) => {
    const found = fc.check(
      fc.property(sizes, happenings, (size, life) => faultsAfter(size, life, decide).faults.length === 0),
      { numRuns: 2_000 }
    )
    expect(found.failed).toBe(true)
  })
})

const freeOnly = (survey: Lease.LeaseSurvey, args: Parameters<typeof Lease.move>) =>
  Lease.move(...args).take.filter((lease) =>
    survey.leases.some(({ name, owner }) => name === lease.name && owner === null)
  )

const unlessOne = (take: ReadonlyArray<Lease.Lease>) => (take.length === 1 ? [] : take)
