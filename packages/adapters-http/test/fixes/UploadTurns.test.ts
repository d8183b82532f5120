import * as UploadTurns from "@place-access/adapters-http/fixes/UploadTurns"
import type { ArrivedUpload, IngestOutcome } from "@place-access/domain/fixes"
import { DeviceId, StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import { Array as Arr, Deferred, Effect, Either, Fiber } from "effect"
import { describe, expect, it } from "vitest"

const [ANN, BEN] = [UserId.make("usr_ann"), UserId.make("usr_ben")]

const run = <A, E>(program: Effect.Effect<A, E, UploadTurns.UploadTurns>) =>
  Effect.runPromise(Effect.provide(program, UploadTurns.layer))

/** Upload `n` of a test. Its number is in the id of its device, and its outcome says that `n` fixes were stored. */
const upload = (n: number): ArrivedUpload => ({
  deviceId: DeviceId.make(`dev_${n}`),
  readings: [],
  reports: [],
  arrivedAt: Timestamp.make(0)
})
const numberOf = ({ deviceId }: ArrivedUpload): number => Number(deviceId.slice("dev_".length))
const outcome = (one: ArrivedUpload): IngestOutcome =>
  Either.right({ accepted: numberOf(one), duplicates: 0, quarantined: 0 })

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** Starts `count` uploads of Ann, numbered from 0, in the order of the numbers, each in a fiber of its own. */
const startAll = <E, R>(count: number, store: UploadTurns.Store<E, R>) =>
  Effect.gen(function* () {
    const turns = yield* UploadTurns.UploadTurns
    const fibers: Array<Fiber.RuntimeFiber<IngestOutcome, E | StoreError>> = []
    for (const n of numbers(count)) {
      fibers.push(yield* Effect.fork(turns.within(ANN, upload(n), store)))
      yield* Effect.yieldNow()
    }
    return fibers
  })

/**
 * A store that delays its first call until `release`, and lists in `calls` which uploads each call stores: at most
 * `atOnce`.
 */
const holding = (atOnce: number) =>
  Effect.map(Deferred.make<void>(), (release) => {
    const calls: Array<ReadonlyArray<number>> = []
    const store = (uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>) =>
      Effect.gen(function* () {
        const first = calls.length === 0
        const taken: Arr.NonEmptyArray<ArrivedUpload> = [uploads[0], ...uploads.slice(1, atOnce)]
        calls.push(taken.map(numberOf))
        if (first) yield* Deferred.await(release)
        return Arr.map(taken, outcome)
      })
    return { calls, release: Deferred.succeed(release, undefined), store }
  })

describe("uploads of one person [fixes-9, fixes-10]", () => {
  it("are stored one after the other, those of two people at once", () =>
    run(
      Effect.gen(function* () {
        const turns = yield* UploadTurns.UploadTurns
        const { calls, release, store } = yield* holding(1)
        const anns = yield* startAll(20, store)
        const ben = yield* turns.within(BEN, upload(99), (uploads) => Effect.succeed(Arr.map(uploads, outcome)))
        expect(ben).toEqual(outcome(upload(99)))
        expect(calls).toEqual([[0]])
        yield* release
        expect(yield* Fiber.join(Fiber.all(anns))).toEqual(numbers(20).map((n) => outcome(upload(n))))
        expect(calls).toEqual(numbers(20).map((n) => [n]))
      })
    ))

  it.each([
    ["all of them", 20, [numbers(20).slice(1)]],
    ["as many as fit, then the next ones", 8, [numbers(9).slice(1), numbers(17).slice(9), numbers(20).slice(17)]]
  ] as const)("that wait are stored together, %s, and each has its own outcome", (_, atOnce, together) =>
    run(
      Effect.gen(function* () {
        const { calls, release, store } = yield* holding(atOnce)
        const fibers = yield* startAll(20, store)
        yield* release
        expect(yield* Fiber.join(Fiber.all(fibers))).toEqual(numbers(20).map((n) => outcome(upload(n))))
        expect(calls).toEqual([[0], ...together])
      })
    )
  )

  it("are stored alone after they failed together, so that one bad upload fails alone", () =>
    run(
      Effect.gen(function* () {
        const { calls, release, store } = yield* holding(20)
        const careful = (uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>) =>
          Effect.zipLeft(
            store(uploads),
            uploads.some((one) => numberOf(one) === 3) ? Effect.fail("broken") : Effect.void
          )
        const fibers = yield* startAll(6, careful)
        yield* release
        const answers = yield* Effect.forEach(fibers, (fiber) => Effect.either(Fiber.join(fiber)))
        expect(answers).toEqual(
          numbers(6).map((n) => (n === 3 ? Either.left("broken") : Either.right(outcome(upload(n)))))
        )
        expect(calls).toEqual([[0], [1, 2, 3, 4, 5], [1], [2], [3], [4], [5]])
      })
    ))

  it("are not tried again at once when the store fails for now: one fails, and the others are stored alone", () =>
    run(
      Effect.gen(function* () {
        const { calls, release, store } = yield* holding(20)
        const busy = StoreError.unavailable("Lock time-out")
        const careful = (uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>) =>
          Effect.zipLeft(store(uploads), uploads.length > 1 ? Effect.fail(busy) : Effect.void)
        const fibers = yield* startAll(4, careful)
        yield* release
        const answers = yield* Effect.forEach(fibers, (fiber) => Effect.either(Fiber.join(fiber)))
        expect(answers).toEqual(numbers(4).map((n) => (n === 1 ? Either.left(busy) : Either.right(outcome(upload(n))))))
        expect(calls).toEqual([[0], [1, 2, 3], [2], [3]])
      })
    ))

  it("are stored by the next one when the request that was storing them is interrupted", () =>
    run(
      Effect.gen(function* () {
        const first = yield* holding(20)
        const calls: Array<ReadonlyArray<number>> = []
        const never = (uploads: Arr.NonEmptyReadonlyArray<ArrivedUpload>) =>
          Effect.suspend(() => {
            calls.push(uploads.map(numberOf))
            return calls.length === 1 ? Effect.never : Effect.succeed(Arr.map(uploads, outcome))
          })
        const [zero] = yield* startAll(1, first.store)
        const turns = yield* UploadTurns.UploadTurns
        const others: Array<Fiber.RuntimeFiber<IngestOutcome, StoreError>> = []
        for (const n of [1, 2, 3]) {
          others.push(yield* Effect.fork(turns.within(ANN, upload(n), never)))
          yield* Effect.yieldNow()
        }
        yield* first.release
        while (calls.length === 0) yield* Effect.yieldNow()
        const [one, two, three] = others
        if (zero === undefined || one === undefined || two === undefined || three === undefined) throw new Error("four")
        yield* Fiber.interrupt(one)
        expect(yield* Fiber.join(Fiber.all([zero, two, three]))).toEqual([0, 2, 3].map((n) => outcome(upload(n))))
        expect(calls).toEqual([
          [1, 2, 3],
          [2, 3]
        ])
      })
    ))

  it("that are interrupted while they wait are not stored", () =>
    run(
      Effect.gen(function* () {
        const { calls, release, store } = yield* holding(20)
        const fibers = yield* startAll(4, store)
        const [, , two] = fibers
        if (two === undefined) throw new Error("four fibers")
        yield* Fiber.interrupt(two)
        yield* release
        yield* Effect.forEach(
          fibers.filter((one) => one !== two),
          Fiber.join
        )
        expect(calls).toEqual([[0], [1, 3]])
      })
    ))

  it("end their turn when they fail", () =>
    run(
      Effect.gen(function* () {
        const turns = yield* UploadTurns.UploadTurns
        expect(yield* Effect.either(turns.within(ANN, upload(1), () => Effect.fail("broken")))).toEqual(
          Either.left("broken")
        )
        const next = yield* turns.within(ANN, upload(2), (uploads) => Effect.succeed(Arr.map(uploads, outcome)))
        expect(next).toEqual(outcome(upload(2)))
      })
    ))

  it("beyond what may wait, are refused for now, and the phones send them again", () =>
    run(
      Effect.gen(function* () {
        const { release, store } = yield* holding(600)
        const fibers = yield* startAll(514, store)
        yield* release
        const answers = yield* Effect.forEach(fibers, (fiber) => Effect.either(Fiber.join(fiber)))
        const refused = answers.flatMap((answer) => (Either.isLeft(answer) ? [answer.left] : []))
        expect(refused.length).toBe(1)
        expect(refused[0] instanceof StoreError && refused[0].transient).toBe(true)
      })
    ))
})
