import { pooled } from "@place-access/adapters-pg/driver/Pooled"
import { Effect, Fiber } from "effect"
import type pg from "pg"
import { describe, expect, it } from "vitest"

type Done = (error: Error | null, result: { readonly rows: ReadonlyArray<unknown> }) => void

/** A connection that runs a statement until `end` is called. */
const connection = (processID: number) => {
  const sent: Array<string> = []
  /** One entry for each time that the driver gave the connection back: whether the pool had to close the connection. */
  const releases: Array<boolean> = []
  let done: Done | undefined
  return {
    sent,
    releases,
    end: () => done?.(null, { rows: [] }),
    client: {
      processID,
      query: (text: string, ...rest: ReadonlyArray<unknown>) => {
        sent.push(text)
        done = rest.at(-1) as Done
      },
      release: (closes = false) => releases.push(closes)
    }
  }
}

/**
 * A statement that runs on the connection `first`, and whose caller is interrupted. The driver then asks the pool for
 * another connection, to cancel the statement; `cancelStarts` gives the driver the connection `second`.
 */
const abandoned = Effect.gen(function* () {
  const [first, second] = [connection(4711), connection(4712)]
  const waiting: Array<(error: undefined, client: unknown) => void> = []
  const pool = { ending: false, connect: (give: (typeof waiting)[number]) => waiting.push(give) }
  const grant = ({ client }: typeof first) => waiting.shift()?.(undefined, client)
  const caller = yield* Effect.fork(pooled(pool as unknown as pg.Pool)("SELECT 1", [1], "rows"))
  yield* Effect.yieldNow()
  grant(first)
  const leaving = yield* Effect.fork(Fiber.interrupt(caller))
  yield* Effect.repeat(Effect.yieldNow(), { until: () => waiting.length === 1 })
  expect(first.sent).toEqual(["SELECT 1"])
  return { first, second, cancelStarts: () => grant(second), left: Fiber.join(leaving) }
})

const CANCEL = "SELECT pg_cancel_backend(4711)"

describe("a statement whose caller went away", () => {
  it("that ends before a connection is free for its cancel is not cancelled, and gives its connection back at once", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cancelStarts, first, left, second } = yield* abandoned
        first.end()
        yield* left.pipe(Effect.timeout("500 millis"))
        expect(first.releases).toEqual([false])
        cancelStarts()
        expect([second.sent, second.releases]).toEqual([[], [false]])
      })
    ))

  it("keeps its connection until the cancel is answered, so that the cancel stops nothing else", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cancelStarts, first, left, second } = yield* abandoned
        cancelStarts()
        expect(second.sent).toEqual([CANCEL])
        first.end()
        expect(first.releases).toEqual([])
        second.end()
        yield* left.pipe(Effect.timeout("500 millis"))
        expect([first.releases, second.releases]).toEqual([[false], [false]])
      })
    ))

  it("loses its connection when the cancel is not answered in time", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cancelStarts, first, left } = yield* abandoned
        cancelStarts()
        first.end()
        yield* left.pipe(Effect.timeout("3 seconds"))
        expect(first.releases).toEqual([true])
      })
    ))

  it("loses its connection when it does not stop in time; no cancel follows later", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { cancelStarts, first, left, second } = yield* abandoned
        yield* left.pipe(Effect.timeout("3 seconds"))
        expect(first.releases).toEqual([true])
        cancelStarts()
        expect([second.sent, second.releases]).toEqual([[], [false]])
      })
    ))
})

describe("a statement that a deadlock ended", () => {
  /**
   * Runs a statement whose first `deadlocks` attempts end as the victim of a deadlock. Returns the statement's result
   * and its number of attempts.
   */
  const attempts = (deadlocks: number) =>
    Effect.gen(function* () {
      let sent = 0
      const client = {
        query: (...args: ReadonlyArray<unknown>) => {
          const done = args.at(-1) as Done
          if (++sent > deadlocks) done(null, { rows: [] })
          else done(Object.assign(new Error("deadlock detected"), { code: "40P01" }), { rows: [] })
        },
        release: () => {}
      }
      const pool = { connect: (give: (error: undefined, client: unknown) => void) => give(undefined, client) }
      const end = yield* Effect.exit(pooled(pool as unknown as pg.Pool)("SELECT 1", [1], "rows"))
      return [end._tag, sent]
    })

  it("runs once more, and not a third time [errors-2]", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        expect(yield* attempts(1)).toEqual(["Success", 2])
        expect(yield* attempts(2)).toEqual(["Failure", 2])
      })
    ))
})
