import { SqlClient } from "@effect/sql/SqlClient"
import { SharedClock } from "@place-access/worker"
import { type Duration, Effect, Exit, Fiber, Logger, LogLevel, TestClock, TestContext } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"

const { judge } = SharedClock

describe("a machine's clock beside the database's", () => {
  it("is left alone up to a quarter of a second: networks make as much of clocks that agree", () => {
    for (const offset of [0, 250, -250]) expect(judge(offset, 0)).toEqual({ isRight: true, correction: 0 })
  })

  it("is corrected up to ten seconds, and not set to and fro by small changes", () => {
    expect(judge(251, 0)).toEqual({ isRight: true, correction: 251 })
    expect(judge(-9_999.6, 0)).toEqual({ isRight: true, correction: -10_000 })
    expect(judge(5_100, 5_000)).toEqual({ isRight: true, correction: 5_000 })
    expect(judge(5_300, 5_000)).toEqual({ isRight: true, correction: 5_300 })
    expect(judge(100, 5_000)).toEqual({ isRight: true, correction: 0 })
  })

  it("near the quarter of a second: a difference that wavers across it moves the clock once, not every minute", () => {
    const corrections: Array<number> = []
    for (const offset of [251, 249, 252, 245, 258]) {
      corrections.push(judge(offset, corrections.at(-1) ?? 0).correction)
    }
    expect(corrections).toEqual([251, 251, 251, 251, 251])
  })

  it("is wrong beyond ten seconds, in either direction", () => {
    expect(judge(10_000, 0).isRight).toBe(true)
    expect(judge(10_001, 0).isRight).toBe(false)
    expect(judge(-10_001, 0).isRight).toBe(false)
  })
})

const HOUR = 3_600_000

/** A shared clock, and a database whose clock is ahead of this machine's by the last value given to `set`. */
const scene = () => {
  const shared = SharedClock.make()
  let ahead = 0
  const rows = Effect.sync(() => [{ millis: Date.now() + ahead }])
  const withTransaction = <A, E, R>(statements: Effect.Effect<A, E, R>) => statements
  const sql = Object.assign(() => rows, { withTransaction }) as unknown as SqlClient
  const set = (millis: number) =>
    Effect.suspend(() => {
      ahead = millis
      return Effect.provideService(shared.compare, SqlClient, sql)
    })
  return { shared, set }
}

/** A program that works until it is interrupted, and then finishes its work for three seconds. */
const working = () => {
  const events: Array<string> = []
  const tell = (what: string) => Effect.sync(() => void events.push(what))
  const finishing = Effect.zipRight(Effect.sleep("3 seconds"), tell("finished"))
  return {
    events,
    program: Effect.zipRight(
      tell("began"),
      Effect.onInterrupt(Effect.never, () => finishing)
    )
  }
}

const run = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.scoped(program).pipe(Logger.withMinimumLogLevel(LogLevel.None), Effect.provide(TestContext.TestContext))
  )

const seconds = (count: number) => TestClock.adjust(count * 1_000)

describe("the clock that is shared", () => {
  it("shows the database's time: what this machine's clock lacks is made up for", () =>
    run(
      Effect.gen(function* () {
        const { set, shared } = scene()
        for (const ahead of [8_000, -8_000]) {
          yield* set(ahead)
          const shown = shared.clock.unsafeCurrentTimeMillis() - Date.now()
          // The test compares only the sign. The exact difference of the two clocks is not known, because some time
          // passes between reading one clock and reading the other.
          expect(Math.sign(shown)).toBe(Math.sign(ahead))
          expect(shared.clock.isRight()).toBe(true)
        }
      })
    ))
})

describe("a machine's clock that somebody sets while it is watched", () => {
  afterEach(() => vi.restoreAllMocks())

  /**
   * A machine whose clock a test can set, and a database whose clock agrees with the machine's clock before the test
   * sets it.
   */
  const watched = (
    answer: (millis: number) => Effect.Effect<number, Error>,
    commitTakes: Duration.DurationInput = 0
  ) => {
    let set = 0
    const real = Date.now
    vi.spyOn(Date, "now").mockImplementation(() => real() + set)
    const shared = SharedClock.make()
    const rows = Effect.suspend(() => Effect.map(answer(real()), (millis) => [{ millis }]))
    const withTransaction = <A, E, R>(statements: Effect.Effect<A, E, R>) =>
      Effect.zipLeft(statements, Effect.sleep(commitTakes))
    const sql = Object.assign(() => rows, { withTransaction }) as unknown as SqlClient
    // A daemon fiber is used, because the program's clock stands still at the end of the test.
    const watching = Effect.forkDaemon(Effect.provideService(shared.watch, SqlClient, sql))
    return { shared, watching, setBy: (millis: number) => void (set += millis) }
  }

  it("is compared again until the database answers, and not a minute later", () =>
    run(
      Effect.gen(function* () {
        let isAway = false
        const { setBy, shared, watching } = watched((millis) =>
          isAway ? Effect.fail(new Error("no database")) : Effect.succeed(millis)
        )
        yield* watching
        yield* seconds(61)
        setBy(-HOUR)
        isAway = true
        yield* seconds(3)
        expect(shared.clock.isRight()).toBe(true)
        isAway = false
        yield* seconds(2)
        expect(shared.clock.isRight()).toBe(false)
      })
    ))

  it("is compared again when it was set between the answer and the end of a comparison", () =>
    run(
      Effect.gen(function* () {
        const { setBy, shared, watching } = watched(Effect.succeed, "5 seconds")
        yield* watching
        // The comparison of the clocks begins after a minute, and its transaction takes 5 s to end. So the clock is set
        // meanwhile.
        yield* seconds(63)
        setBy(-HOUR)
        yield* seconds(9)
        expect(shared.clock.isRight()).toBe(false)
      })
    ))

  it("is compared again soon after a comparison during which it was set", () =>
    run(
      Effect.gen(function* () {
        let questions = 0
        const { setBy, watching } = watched((millis) => Effect.sync(() => (questions++, millis)), "5 seconds")
        yield* watching
        // The comparison of the clocks begins after a minute, and its transaction takes 5 s to end. So the clock is set
        // meanwhile.
        yield* seconds(63)
        const ofOne = questions
        setBy(-HOUR)
        yield* seconds(5)
        expect([ofOne > 0, questions]).toEqual([true, 2 * ofOne])
        // No comparison follows the second comparison: the clock was not set again.
        yield* seconds(30)
        expect(questions).toBe(2 * ofOne)
      })
    ))
})

describe("what runs while the clock is right", () => {
  it("ends when the clock is wrong, and begins again when it is right and all is finished that was under way", () =>
    run(
      Effect.gen(function* () {
        const { set, shared } = scene()
        const { events, program } = working()
        // A daemon fiber is used, because the program's clock stands still at the end of the test. The test would wait
        // for any other fiber forever.
        yield* Effect.forkDaemon(shared.whileRight(program))
        yield* seconds(60)
        expect(events).toEqual(["began"])
        yield* set(-HOUR)
        expect(shared.clock.isRight()).toBe(false)
        yield* seconds(1)
        yield* set(0)
        expect(shared.clock.isRight()).toBe(true)
        yield* seconds(2)
        expect(events).toEqual(["began"])
        yield* seconds(2)
        expect(events).toEqual(["began", "finished", "began"])
      })
    ))

  it("does not begin while the clock is wrong", () =>
    run(
      Effect.gen(function* () {
        const { set, shared } = scene()
        const { events, program } = working()
        yield* set(HOUR)
        // A daemon fiber is used, because the program's clock stands still at the end of the test. The test would wait
        // for any other fiber forever.
        yield* Effect.forkDaemon(shared.whileRight(program))
        yield* seconds(600)
        expect(events).toEqual([])
        yield* set(0)
        yield* seconds(1)
        expect(events).toEqual(["began"])
      })
    ))

  it("does not begin before the first comparison has an answer", () =>
    run(
      Effect.gen(function* () {
        const shared = SharedClock.make()
        const { events, program } = working()
        let asked = 0
        const rows = Effect.suspend(() =>
          asked++ === 0 ? Effect.fail(new Error("no database")) : Effect.succeed([{ millis: Date.now() + HOUR }])
        )
        const withTransaction = <A, E, R>(statements: Effect.Effect<A, E, R>) => statements
        const sql = Object.assign(() => rows, { withTransaction }) as unknown as SqlClient
        const start = shared.compareFirst.pipe(
          Effect.zipRight(shared.untilRight),
          Effect.zipRight(shared.whileRight(program))
        )
        // A daemon fiber is used, because the program's clock stands still at the end of the test.
        yield* Effect.forkDaemon(Effect.provideService(start, SqlClient, sql))
        yield* seconds(30)
        expect(asked).toBeGreaterThan(1)
        expect(shared.clock.isRight()).toBe(false)
        expect(events).toEqual([])
      })
    ))

  it("is awaited by its stop: what is under way is finished first", () =>
    run(
      Effect.gen(function* () {
        const { shared } = scene()
        const { events, program } = working()
        const running = yield* Effect.fork(shared.whileRight(program))
        yield* seconds(60)
        const stopping = yield* Effect.fork(Fiber.interrupt(running))
        yield* seconds(2)
        expect([yield* Fiber.poll(stopping), events]).toMatchObject([{ _tag: "None" }, ["began"]])
        yield* seconds(1)
        expect([yield* Fiber.poll(stopping), events]).toMatchObject([{ _tag: "Some" }, ["began", "finished"]])
      })
    ))

  it("fails as what it runs fails: nobody begins it again", () =>
    run(
      Effect.gen(function* () {
        const { shared } = scene()
        expect(yield* Effect.exit(shared.whileRight(Effect.fail("no such port")))).toEqual(Exit.fail("no such port"))
      })
    ))
})
