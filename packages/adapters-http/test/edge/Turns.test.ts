import { Timers } from "@place-access/adapters-http/edge/Timers"
import { type TurnLimits, Turns } from "@place-access/adapters-http/edge/Turns"
import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"

const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
/** One minute, which is longer than any test takes. */
const LONG = 60_000

const turnsOf = (limits: TurnLimits): Turns => new Turns(limits, Effect.runSync(Timers))

/** Asks for a turn `count` times at once, and notes which callers got a turn, in order. */
const requestTurns = (turns: Turns, count: number) =>
  Effect.gen(function* () {
    const got: Array<number> = []
    const fibers = yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) => Effect.fork(Effect.uninterruptible(Effect.tap(turns.take, (has) => Effect.sync(() => has && got.push(n)))))
    )
    yield* settle
    return { got, fibers }
  })

it("as many as may work get a turn at once, the others in the order in which they came", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const turns = turnsOf({ atOnce: 2, waitingMax: 10, waitMillis: LONG })
      const { fibers, got } = yield* requestTurns(turns, 5)
      expect(got).toEqual([0, 1])
      for (const most of [3, 4, 5]) {
        turns.release()
        yield* settle
        expect(got).toEqual([0, 1, 2, 3, 4].slice(0, most))
      }
      yield* Fiber.joinAll(fibers)
      turns.release()
      turns.release()
      expect(turns.isUsed).toBe(false)
    })
  ))

it("one more than may wait is refused at once, and one that waited too long is refused, too", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const turns = turnsOf({ atOnce: 1, waitingMax: 1, waitMillis: 1 })
      expect(yield* turns.take).toBe(true)
      const waiting = yield* Effect.fork(turns.take)
      yield* settle
      const [last, waited] = [yield* turns.take, yield* Fiber.join(waiting)]
      expect([last, waited]).toEqual([false, false])
      turns.release()
      expect(turns.isUsed).toBe(false)
    })
  ))

it("a caller that is interrupted while it waits leaves the line, and its turn is not lost", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const turns = turnsOf({ atOnce: 1, waitingMax: 10, waitMillis: LONG })
      const { fibers, got } = yield* requestTurns(turns, 3)
      yield* Fiber.interrupt(fibers[1]!)
      turns.release()
      yield* settle
      expect(got).toEqual([0, 2])
      turns.release()
      expect(turns.isUsed).toBe(false)
    })
  ))

it("a request that leaves, from any place in the line: the others keep their order, and the places are free again", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const turns = turnsOf({ atOnce: 1, waitingMax: 6, waitMillis: LONG })
      const { fibers, got } = yield* requestTurns(turns, 7)
      for (const n of [3, 1, 2, 6]) yield* Fiber.interrupt(fibers[n]!)
      const more = yield* requestTurns(turns, 4)
      const refused = yield* turns.take
      for (let n = 0; n < 6; n++) {
        turns.release()
        yield* settle
      }
      expect([refused, got, more.got]).toEqual([false, [0, 4, 5], [0, 1, 2, 3]])
      yield* Fiber.joinAll(more.fibers)
      turns.release()
      expect(turns.isUsed).toBe(false)
    })
  ))

it("an interruption at the moment of the turn passes the turn on", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      for (let time = 0; time < 50; time++) {
        const turns = turnsOf({ atOnce: 1, waitingMax: 10, waitMillis: LONG })
        expect(yield* turns.take).toBe(true)
        // A fiber that takes a turn must release it, whether it is interrupted before, while or after it gets the turn.
        const worked = Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(turns.take, (has) =>
            has
              ? Effect.ensuring(
                  restore(settle),
                  Effect.sync(() => turns.release())
                )
              : Effect.void
          )
        )
        const fibers = yield* Effect.forEach([0, 1, 2], () => Effect.fork(worked))
        yield* settle
        turns.release()
        fibers[0]!.unsafeInterruptAsFork(fibers[0]!.id())
        yield* Fiber.awaitAll(fibers)
        expect(turns.isUsed).toBe(false)
      }
    })
  ))

it("a turn that was given back is taken again without waiting, and the line then waits longer", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const turns = turnsOf({ atOnce: 1, waitingMax: 10, waitMillis: LONG })
      const { got } = yield* requestTurns(turns, 3)
      turns.release()
      yield* settle
      turns.takeAnyway()
      turns.release()
      yield* settle
      expect(got).toEqual([0, 1])
      turns.release()
      yield* settle
      expect(got).toEqual([0, 1, 2])
      turns.release()
      expect(turns.isUsed).toBe(false)
    })
  ))
