import * as Batches from "@place-access/adapters-pg/Batches"
import { StoreError } from "@place-access/domain/shared"
import { Deferred, Effect, Either, Fiber, type Scope } from "effect"
import { describe, expect, it } from "vitest"

/** Batches that double numbers; each write waits until `open`, and `bad` numbers are refused for what they are. */
const doubling = (bad: ReadonlySet<number> = new Set()) =>
  Effect.gen(function* () {
    const open = yield* Deferred.make<void>()
    const written: Array<ReadonlyArray<number>> = []
    const write = yield* Batches.make((numbers: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        yield* Deferred.await(open)
        written.push(numbers)
        if (numbers.some((one) => bad.has(one))) return yield* StoreError.broken("what it is")
        return numbers.map((one) => one * 2)
      })
    )
    return { open: Deferred.succeed(open, undefined), write, written }
  })

const run = <A>(program: Effect.Effect<A, unknown, Scope.Scope>) => Effect.runPromise(Effect.scoped(program))

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("work in flight shares statements", () => {
  it("300 items at once take two statements, and each gets its own answer", () =>
    run(
      Effect.gen(function* () {
        const { open, write, written } = yield* doubling()
        const all = yield* Effect.fork(Effect.forEach(numbers(300), write, { concurrency: "unbounded" }))
        yield* open
        expect(yield* Fiber.join(all)).toEqual(numbers(300).map((one) => one * 2))
        expect(written.map((batch) => batch.length)).toEqual([1, 299])
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

  it("whoever stops waiting takes nobody with them", () =>
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
