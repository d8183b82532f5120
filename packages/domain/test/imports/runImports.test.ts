import { Fix, FixStore } from "@place-access/domain/fixes"
import { everything } from "@place-access/domain/leases"
import { HistoryStore } from "@place-access/domain/retention-choice"
import { Import, ImportReader, ImportStore, startImport } from "@place-access/domain/imports"
import { StoreError, Timestamp } from "@place-access/domain/shared"
import { Fixtures, importNext, MemoryImportReader } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Fiber, Stream } from "effect"
import { vi } from "vitest"
import { bytes, file, found, LONG_AGO, NOW, points, run, upload } from "../support/imports.js"

const { DAY, HOUR } = Timestamp
const { line } = MemoryImportReader

const history = (of: Import.Import) => Effect.flatMap(FixStore, (store) => store.latest(of.userId, 1e6))

const imported = (text: string) =>
  Effect.gen(function* () {
    const made = yield* upload(text)
    expect(yield* importNext(everything.people)).toBe(true)
    return { import: yield* found(made), history: yield* history(made) }
  })

describe("an import", () => {
  it("waits until a worker takes it, and then its readings are in the history", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(3)))
        expect(made).toMatchObject({ state: "waiting", fileName: "my.gpx", counts: Import.NOTHING_READ, format: null })
        expect(yield* importNext(everything.people)).toBe(true)
        expect(yield* found(made)).toMatchObject({
          state: "done",
          format: "gpx",
          counts: { read: 3, stored: 3, duplicates: 0, tooRecent: 0, tooOld: 0, quarantined: 0 },
          bytesDone: made.bytesTotal,
          error: null,
          finishedAt: expect.any(Number)
        })
        expect((yield* history(made)).map(({ capturedAt }) => capturedAt)).toEqual(
          [2, 1, 0].map((index) => LONG_AGO + index * 1_000)
        )
        expect(yield* importNext(everything.people)).toBe(false)
      })
    )
  })

  it("of a file without any position fails, but not of an archive of this service, which may have none [imports-7]", () => {
    for (const [format, state] of [
      ["gpx", "failed"],
      ["own_archive", "done"]
    ] as const) {
      run(
        Effect.gen(function* () {
          const made = yield* upload(file())
          const nothing = () => ({ entries: [], fault: null })
          const open = () => ({ format: () => format, push: nothing, end: nothing })
          yield* Effect.provideService(importNext(everything.people), ImportReader, { open })
          expect(yield* found(made)).toMatchObject({ state, error: state === "done" ? null : expect.any(String) })
        })
      )
    }
  })

  it("whose reader gives very many entries at once is stored in steps, and each entry is copied few times", () => {
    const count = 50_000
    run(
      Effect.gen(function* () {
        const made = yield* upload(file("no time"))
        const entries = Array.from({ length: count }, () => ({ _tag: "Unusable" as const }))
        const copies = vi.spyOn(Array.prototype, "slice")
        yield* Effect.provideService(importNext(everything.people), ImportReader, {
          open: () => ({
            format: () => "gpx",
            push: () => ({ entries, fault: null }),
            end: () => ({ entries: [], fault: null })
          })
        })
        const copied = copies.mock.results.reduce((sum, { value }) => sum + (value as ReadonlyArray<unknown>).length, 0)
        vi.restoreAllMocks()
        expect((yield* found(made)).counts).toMatchObject({ read: count, quarantined: count })
        expect(copied).toBeLessThan(4 * count)
      })
    )
  })

  it("leaves out and counts what is impossible, newer than a day before the upload, past the kept history, or known [imports-1, imports-3]", () => {
    run(
      Effect.gen(function* () {
        const entries = [
          line(NOW - DAY, 1, 1),
          line(NOW - DAY + 1, 1, 1),
          line(NOW, 1, 1),
          line(NOW + HOUR, 1, 1),
          line(LONG_AGO, 91, 0),
          line(LONG_AGO, 0, 0),
          line(0, 1, 1),
          "no time",
          line(NOW - DAY, 1, 1),
          `visit ${NOW - 2 * DAY} ${NOW - DAY} 1 1`,
          `visit ${NOW - 2 * DAY} ${NOW - DAY + 1} 1 1`,
          `visit ${NOW - DAY} ${NOW - 2 * DAY} 1 1`,
          line(NOW - 90 * DAY, 1, 1),
          line(NOW - 90 * DAY + 1, 1, 1),
          `visit ${NOW - 91 * DAY} ${NOW - 90 * DAY} 1 1`,
          `visit ${NOW - 91 * DAY} ${NOW - 89 * DAY} 1 1`
        ]
        const { import: done } = yield* imported(file(...entries))
        expect(done.counts).toEqual({
          read: 16,
          stored: 4,
          duplicates: 1,
          tooRecent: 3,
          tooOld: 2,
          quarantined: 6,
          overLimit: 0
        })
      })
    )
  })

  it("of an account that keeps everything goes back to 2010", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(line(Fix.EARLIEST - 1, 1, 1), line(Fix.EARLIEST, 1, 1)))
        yield* (yield* HistoryStore).choose(made.userId, null, made.uploadedAt)
        yield* importNext(everything.people)
        expect((yield* found(made)).counts).toMatchObject({ stored: 1, tooOld: 0, quarantined: 1 })
      })
    )
  })

  it("of the same file again finds nothing new [imports-2]", () => {
    run(
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        const repeated = startImport(user.id, undefined, Stream.make(bytes(file(...points(2_500)))))
        const [first, second] = [yield* repeated, yield* repeated]
        yield* importNext(everything.people)
        yield* importNext(everything.people)
        expect((yield* found(first)).counts).toMatchObject({ stored: 2_500, duplicates: 0 })
        expect((yield* found(second)).counts).toMatchObject({ stored: 0, duplicates: 2_500 })
      })
    )
  })

  it.each([
    ["<other>", /^This is no file of location history\./, 0],
    [
      file(...points(1_500), "!", ...points(5)),
      /^The file is damaged .* What was read before that is stored\.$/,
      1_500
    ],
    [file("!"), "The file is damaged and cannot be read to its end.", 0],
    [file(...points(2)).slice(0, -1), /^The file ends in the middle.* What was read before that is stored\.$/, 1],
    [file(), /^The file has no recorded positions\./, 0]
  ])("that cannot be read fails in words, and what came before stays [imports-7]", (text, error, stored) => {
    run(
      Effect.gen(function* () {
        const { history, import: failed } = yield* imported(text.startsWith("<other>") ? `${text}\n` : text)
        expect(failed).toMatchObject({
          state: "failed",
          error: typeof error === "string" ? error : expect.stringMatching(error)
        })
        expect([failed.counts.stored, history.length]).toEqual([stored, stored])
      })
    )
  })

  it("that nobody reads to its end is given up in the end", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(2)))
        for (let attempt = 1; attempt <= Import.MAX_ATTEMPTS; attempt++) {
          yield* withFaults(importNext(everything.people), (call) => call === "piece")
          expect((yield* found(made)).state).toBe("running")
          yield* Effect.sleep(Import.RETRY_AFTER)
        }
        yield* importNext(everything.people)
        expect(yield* found(made)).toMatchObject({ state: "failed", error: expect.stringContaining("tried 5 times") })
      })
    )
  })
})

type Call = "piece" | "advance" | "finish" | "find"

/**
 * Runs a program with a store in which some calls fail. A call for which `before` is true fails and stores nothing. A
 * call for which `after` is true stores its change, but the worker gets an error all the same.
 */
const withFaults = <A, E, R>(
  program: Effect.Effect<A, E, R | ImportStore>,
  before: (call: Call) => boolean,
  after: (call: Call) => boolean = () => false
) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const broken = StoreError.unavailable("the connection is lost")
    const around = <B>(call: Call, effect: Effect.Effect<B, StoreError>): Effect.Effect<B, StoreError> =>
      before(call) ? broken : Effect.tap(effect, () => (after(call) ? broken : Effect.void))
    return yield* Effect.provideService(program, ImportStore, {
      ...store,
      piece: (of, position) => around("piece", store.piece(of, position)),
      advance: (step) => around("advance", store.advance(step)),
      find: (of) => around("find", store.find(of)),
      finish: (leased, error, at, months) => around("finish", store.finish(leased, error, at, months))
    })
  })

describe("an import that is interrupted", () => {
  const entry = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }).map((index) => line(LONG_AGO + index, 52, 4)) },
    { weight: 1, arbitrary: fc.constantFrom("?", line(NOW, 1, 1), line(LONG_AGO, 91, 1), line(NOW - 100 * DAY, 1, 1)) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0, max: 9 }).map((index) => `visit ${LONG_AGO + index} ${LONG_AGO + HOUR} 1 1`)
    }
  )
  /**
   * Entries for several steps of an import. The list repeats a few entries, so that an entry and its duplicate are
   * often in different steps.
   */
  const entries = fc
    .array(entry, { minLength: 1, maxLength: 30 })
    .chain((some) => fc.integer({ min: 1, max: 120 }).map((times) => Array.from({ length: times }, () => some).flat()))
  const damage = fc.constantFrom([], ["!"])

  it("at any point, any number of times, stores every entry once and counts right [imports-6]", () => {
    fc.assert(
      fc.property(entries, damage, fc.infiniteStream(fc.integer({ min: 0, max: 9 })), (all, end, dice) => {
        const text = file(...all, ...end)
        const calm = run(imported(text))
        const stormy = run(
          Effect.gen(function* () {
            const made = yield* upload(text)
            const breaks = () => dice.next().value === 0
            for (let round = 0; (yield* found(made)).finishedAt === null; round++) {
              const [before, after] = round < 100 ? [breaks, breaks] : [() => false, () => false]
              yield* withFaults(importNext(everything.people), before, after)
              yield* Effect.sleep(Import.RETRY_AFTER)
            }
            return { import: yield* found(made), history: yield* history(made) }
          })
        )
        if (stormy.import.error?.includes("tried") === true) return
        expect(stormy.import.counts).toEqual(calm.import.counts)
        expect([stormy.import.state, stormy.import.error]).toEqual([calm.import.state, calm.import.error])
        expect(stormy.history.map(Fix.key)).toEqual(calm.history.map(Fix.key))
        const { duplicates, quarantined, read, stored, tooOld, tooRecent } = stormy.import.counts
        expect(stored + duplicates + tooRecent + tooOld + quarantined).toBe(read)
        expect(read).toBe(all.length)
      }),
      { numRuns: 60 }
    )
  })

  it("by a worker that renews nothing, goes on with the other one, and the slow one stops [imports-6]", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(6_000)))
        const store = yield* ImportStore
        const worker = (waits: Iterator<number>) =>
          Effect.provideService(importNext(everything.people), ImportStore, {
            ...store,
            // For this worker, the database never answers the renewal of a lease.
            renew: () => Effect.never,
            advance: (step) => Effect.zipRight(Effect.sleep(waits.next().value ?? 1), store.advance(step))
          })
        const slow = worker([Import.RETRY_AFTER + 5_000].values())
        const other = worker([1_000, 1_000, 1_000, 5_000].values())
        yield* Effect.all([slow, Effect.zipRight(Effect.sleep(Import.RETRY_AFTER), other)], {
          concurrency: "unbounded"
        })
        expect(yield* found(made)).toMatchObject({
          state: "done",
          counts: { read: 6_000, stored: 6_000, duplicates: 0 }
        })
      })
    )
  })

  it("by nobody while a step takes long: its worker renews the lease, and no other one begins [imports-6]", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(2_500)))
        const store = yield* ImportStore
        const slow = Effect.provideService(importNext(everything.people), ImportStore, {
          ...store,
          // The database answers only every third renewal of a lease.
          renew: (() => {
            let calls = 0
            return (leased, dueAt) =>
              ++calls % 3 === 0 ? store.renew(leased, dueAt) : StoreError.unavailable("the connection is lost")
          })(),
          advance: (step) => Effect.zipRight(Effect.sleep(5 * Import.RETRY_AFTER), store.advance(step))
        })
        const others = Effect.forEach(Array.from({ length: 12 }), () =>
          Effect.zipRight(Effect.sleep(Import.RETRY_AFTER), importNext(everything.people))
        )
        const [, began] = yield* Effect.all([slow, others], { concurrency: "unbounded" })
        expect(began).not.toContain(true)
        expect(yield* found(made)).toMatchObject({ state: "done", counts: { read: 2_500, stored: 2_500 } })
      })
    )
  })

  it("by workers that are stopped, any number of times, is not given up, and goes on at once [leases-2]", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(10)))
        const store = yield* ImportStore
        const stuck = Effect.provideService(importNext(everything.people), ImportStore, {
          ...store,
          advance: () => Effect.never
        })
        for (let stops = 0; stops <= Import.MAX_ATTEMPTS; stops++) {
          const stopping = yield* Effect.fork(Effect.interruptible(stuck))
          yield* Effect.sleep(1_000)
          yield* Fiber.interrupt(stopping)
        }
        expect(yield* importNext(everything.people)).toBe(true)
        expect(yield* found(made)).toMatchObject({ state: "done", counts: { read: 10, stored: 10 } })
      })
    )
  })

  it("by a worker that stops, keeps it from stopping at most two seconds when the database hangs [leases-2]", () => {
    run(
      Effect.gen(function* () {
        yield* upload(file(...points(10)))
        const hangs = { advance: () => Effect.never, handBack: () => Effect.never }
        const store = yield* ImportStore
        const stopping = yield* Effect.fork(
          Effect.interruptible(
            Effect.provideService(importNext(everything.people), ImportStore, { ...store, ...hangs })
          )
        )
        yield* Effect.sleep(1_000)
        yield* Fiber.interrupt(stopping)
        expect((yield* Timestamp.now) - NOW).toBeLessThanOrEqual(3_000)
      })
    )
  })

  it("by the loss of its lease, stops within seconds, also in the middle of a step", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(2_500)))
        const store = yield* ImportStore
        const stuck = Effect.provideService(importNext(everything.people), ImportStore, {
          ...store,
          advance: () => Effect.never
        })
        yield* Effect.all([stuck, Effect.zipRight(Effect.sleep(1_000), store.remove(made))], {
          concurrency: "unbounded"
        })
        expect((yield* Timestamp.now) - NOW).toBeLessThan(Import.RETRY_AFTER)
      })
    )
  })

  it("by its owner, who removes it, stops at the next step, and what was stored stays", () => {
    run(
      Effect.gen(function* () {
        const made = yield* upload(file(...points(6_000)))
        const store = yield* ImportStore
        let steps = 0
        yield* Effect.provideService(importNext(everything.people), ImportStore, {
          ...store,
          advance: (step) => Effect.tap(store.advance(step), () => (++steps === 2 ? store.remove(made) : Effect.void))
        })
        expect(steps).toBe(3)
        expect(yield* history(made)).toHaveLength(2_000)
        expect((yield* store.list(made.userId, 10)).items).toEqual([])
      })
    )
  })
})
