import { TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Batches from "@place-access/adapters-pg/driver/Batches"
import { isInTransaction } from "@place-access/adapters-pg/driver/Client"
import { StoreError } from "@place-access/domain/shared"
import { Deferred, Effect, Either, Exit, Fiber, Scope } from "effect"
import { describe, expect, it } from "vitest"

/**
 * Makes batches that double numbers. Each write waits until the test calls `open`. A write that contains a number from
 * `bad` fails with `failure`.
 */
const doubling = (bad: ReadonlySet<number> = new Set(), failure = StoreError.broken("what it is")) =>
  Effect.gen(function* () {
    const open = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const written: Array<ReadonlyArray<number>> = []
    const write = yield* Batches.make((numbers: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(open)
        written.push(numbers)
        if (numbers.some((one) => bad.has(one))) return yield* failure
        return numbers.map((one) => one * 2)
      })
    )
    return { begun: Deferred.await(begun), open: Deferred.succeed(open, undefined), write, written }
  })

const run = <A>(program: Effect.Effect<A, unknown, Scope.Scope>) => Effect.runPromise(Effect.scoped(program))

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("work in flight shares statements", () => {
  it("what comes while a statement is under way goes together in the next, and each gets its own answer [access-log-2-batch]", () =>
    run(
      Effect.gen(function* () {
        const { begun, open, write, written } = yield* doubling()
        const first = yield* Effect.fork(write(0))
        yield* begun
        const all = yield* Effect.fork(Effect.forEach(numbers(300), write, { concurrency: "unbounded" }))
        yield* open
        expect(yield* Fiber.join(first)).toBe(0)
        expect(yield* Fiber.join(all)).toEqual(numbers(300).map((one) => one * 2))
        expect(written.map((batch) => batch.length)).toEqual([1, 300])
      })
    ))

  it("where nobody is in a hurry, what comes within as much time as a statement took goes in the next, too", () =>
    run(
      Effect.gen(function* () {
        const written: Array<number> = []
        const write = yield* Batches.make(
          (batch: ReadonlyArray<number>) =>
            Effect.as(
              Effect.zipRight(
                Effect.sleep("200 millis"),
                Effect.sync(() => written.push(batch.length))
              ),
              batch
            ),
          100
        )
        yield* write(0)
        const startedAt = Date.now()
        const later = Effect.forEach(numbers(3), (one) => Effect.delay(write(one), one * 20), {
          concurrency: "unbounded"
        })
        expect(yield* later).toEqual([0, 1, 2])
        expect(written).toEqual([1, 3])
        // After the first statement, which takes 200 ms, the next statement begins at most `pauseMillis` (100 ms)
        // later. With a pause of 200 ms, the calls would end after 390 ms.
        expect(Date.now() - startedAt).toBeLessThan(390)
      })
    ))

  it("no more than 500 go in one statement; the rest go in the next, and each gets its own answer", () =>
    run(
      Effect.gen(function* () {
        const { begun, open, write, written } = yield* doubling()
        const first = yield* Effect.fork(write(0))
        yield* begun
        const all = yield* Effect.fork(Effect.forEach(numbers(1_100), write, { concurrency: "unbounded" }))
        yield* Effect.yieldNow()
        yield* open
        expect(yield* Fiber.join(first)).toBe(0)
        expect(yield* Fiber.join(all)).toEqual(numbers(1_100).map((one) => one * 2))
        expect(written.map((batch) => batch.length)).toEqual([1, 500, 500, 100])
      })
    ))

  it("what fails for a reason that passes fails for all that go together, and nothing is tried again", () =>
    run(
      Effect.gen(function* () {
        const passing = StoreError.unavailable("a moment")
        const { begun, open, write, written } = yield* doubling(new Set([7]), passing)
        const first = yield* Effect.fork(write(0))
        yield* begun
        const all = yield* Effect.fork(
          Effect.forEach(numbers(20), (one) => Effect.flip(write(one)), { concurrency: "unbounded" })
        )
        yield* Effect.yieldNow()
        yield* open
        expect(yield* Fiber.join(first)).toBe(0)
        expect(yield* Fiber.join(all)).toEqual(numbers(20).map(() => passing))
        expect(written).toEqual([[0], numbers(20)])
        expect(yield* write(8)).toBe(16)
      })
    ))

  it("a caller that waits when the store is closed, and a caller after that, get an error that says so", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { begun, open, write } = yield* Scope.extend(doubling(), scope)
        const first = yield* Effect.fork(write(0))
        yield* begun
        const second = yield* Effect.fork(Effect.flip(write(1)))
        yield* Effect.yieldNow()
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* open
        yield* Fiber.join(closing)
        expect(yield* Fiber.join(first)).toBe(0)
        expect(yield* Fiber.join(second)).toMatchObject({ _tag: "StoreError", transient: true })
        expect(yield* Effect.flip(write(2))).toMatchObject({ _tag: "StoreError", transient: true })
      })
    ))

  it("an item that is refused for what it is fails alone", () =>
    run(
      Effect.gen(function* () {
        const { open, write } = yield* doubling(new Set([7]))
        const all = yield* Effect.fork(
          Effect.forEach(numbers(20), (one) => Effect.either(write(one)), { concurrency: "unbounded" })
        )
        yield* open
        expect((yield* Fiber.join(all)).map(Either.isRight)).toEqual(numbers(20).map((one) => one !== 7))
      })
    ))

  it("an item from inside a transaction waits for no statement outside of it, and shares none", () =>
    run(
      Effect.gen(function* () {
        const seen: Array<readonly [ReadonlyArray<number>, boolean]> = []
        const [begun, open] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const write = yield* Batches.make((numbers: ReadonlyArray<number>) =>
          Effect.gen(function* () {
            const isInside = yield* isInTransaction
            seen.push([numbers, isInside])
            yield* Deferred.succeed(begun, undefined)
            if (!isInside) yield* Deferred.await(open)
            return numbers
          })
        )
        const outside = yield* Effect.fork(write(0))
        yield* Deferred.await(begun)
        const both = Effect.all([write(1), write(2)], { concurrency: "unbounded" })
        const inside = Effect.provideService(both, TransactionConnection, [{} as Connection, 0])
        expect(yield* Effect.timeout(inside, "2 seconds")).toEqual([1, 2])
        expect(seen).toEqual([
          [[0], false],
          [[1], true],
          [[2], true]
        ])
        yield* Deferred.succeed(open, undefined)
        expect(yield* Fiber.join(outside)).toBe(0)
      })
    ))

  it("a caller that stops waiting ends no other call", () =>
    run(
      Effect.gen(function* () {
        const { open, write } = yield* doubling()
        const fibers = yield* Effect.forEach(numbers(10), (one) => Effect.fork(write(one)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(fibers[4]!)
        yield* open
        for (const [index, fiber] of fibers.entries()) if (index !== 4) expect(yield* Fiber.join(fiber)).toBe(index * 2)
      })
    ))
})
