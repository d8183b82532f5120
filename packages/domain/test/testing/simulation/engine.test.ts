import { Pacing } from "@place-access/domain/shared"
import { Simulation } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect, Exit, FastCheck as fc, Utils } from "effect"

const { Engine, Process, Stuck, Streams } = Simulation
const HOUR = 3_600_000

const randomly = (seed: number) => new Engine({ scheduling: Streams.make(seed, "scheduling") })

/** The order in which fibers that are ready at the same time take their steps. */
const order = (engine: InstanceType<typeof Engine>): string => {
  const log: Array<number> = []
  engine.run(
    Effect.forEach(
      Array.from({ length: 12 }, (_, name) => name),
      (name) =>
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.sync(() => log.push(name))
        ),
      { concurrency: "unbounded", discard: true }
    )
  )
  return log.join(" ")
}

it("fibers that are ready at once go on in the order of a seed, the same every time, or first come first served", () => {
  expect(order(new Engine())).toBe("0 1 2 3 4 5 6 7 8 9 10 11")
  const orders = Array.from({ length: 20 }, (_, seed) => order(randomly(seed)))
  expect(new Set(orders).size).toBeGreaterThan(15)
  expect(Array.from({ length: 20 }, (_, seed) => order(randomly(seed)))).toEqual(orders)
})

it("timers of one instant fire in the order in which they were set, whatever the order of fibers", () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(fc.nat(5), { maxLength: 30 }), (seed, delays) => {
      const engine = randomly(seed)
      const fired: Array<readonly [number, number]> = []
      let set = 0
      const sleeper = (delay: number) =>
        Effect.suspend(() => {
          const turn = set++
          return Effect.zipRight(
            Effect.sleep(delay),
            Effect.sync(() => fired.push([delay, turn]))
          )
        })
      engine.run(Effect.forEach(delays, sleeper, { concurrency: "unbounded" }))
      expect(fired).toEqual([...fired].sort((a, b) => a[0] - b[0] || a[1] - b[1]))
    })
  )
})

it("advance fires everything that is due by then, with what follows from it, and returns at that moment", () => {
  const engine = new Engine()
  const log: Array<string> = []
  const exit = engine.run(
    Effect.gen(function* () {
      const begun = yield* Clock.currentTimeMillis
      const say = (word: string) => Effect.sync(() => log.push(word))
      yield* Effect.fork(
        Effect.sleep(HOUR).pipe(
          Effect.zipRight(say("due")),
          Effect.zipRight(Effect.sleep(0)),
          Effect.zipRight(say("after"))
        )
      )
      yield* Effect.fork(Effect.zipRight(Effect.sleep(HOUR + 1), say("too late")))
      yield* engine.advance(HOUR)
      log.push("advanced")
      return (yield* Clock.currentTimeMillis) - begun
    })
  )
  expect(exit).toEqual(Exit.succeed(HOUR))
  expect(log).toEqual(["due", "after", "advanced"])
})

it("settle lets everybody do what takes no time, and no time passes", () => {
  const engine = new Engine()
  const exit = engine.run(
    Effect.gen(function* () {
      let steps = 0
      yield* Effect.fork(
        Effect.repeatN(
          Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => steps++)
          ),
          99
        )
      )
      yield* engine.settle
      return [steps, engine.clock.monotonic - Simulation.START]
    })
  )
  expect(exit).toEqual(Exit.succeed([100, 0]))
})

it("quiesce waits for whatever ends, not for what repeats without end, and not longer than its limit", () => {
  const engine = new Engine()
  const exit = engine.run(
    Effect.gen(function* () {
      yield* Effect.fork(Process.periodic(Effect.forever(Effect.sleep("1 minute"))))
      yield* Effect.fork(Effect.sleep("1 hour"))
      const { timersLeft } = yield* engine.quiesce("10 minutes")
      const at = engine.clock.monotonic - Simulation.START
      const ended = yield* engine.quiesce()
      return [timersLeft, at, ended.timersLeft, engine.clock.monotonic - Simulation.START]
    })
  )
  expect(exit).toEqual(Exit.succeed([1, 600_000, 0, HOUR]))
})

it("a jump moves the time of day and no timer", () => {
  const engine = new Engine()
  const exit = engine.run(
    Effect.gen(function* () {
      yield* engine.jump(-2 * HOUR)
      yield* Effect.sleep("1 hour")
      return (yield* Clock.currentTimeMillis) - Simulation.START
    })
  )
  expect(exit).toEqual(Exit.succeed(-HOUR))
})

it("a killed process takes no step more, and none of its finalizers runs", () => {
  const engine = new Engine()
  const log: Array<string> = []
  const process = { name: "worker", epoch: 1, isAlive: true }
  engine.run(
    Effect.gen(function* () {
      const child = Effect.forkDaemon(
        Effect.zipRight(
          Effect.sleep("2 hours"),
          Effect.sync(() => log.push("child"))
        )
      )
      const life = Effect.zipRight(
        child,
        Effect.forever(
          Effect.zipRight(
            Effect.sleep("20 minutes"),
            Effect.sync(() => log.push("lives"))
          )
        )
      )
      yield* engine.spawn(
        process,
        Effect.ensuring(
          life,
          Effect.sync(() => log.push("tidied up"))
        )
      )
      yield* engine.advance("50 minutes")
      engine.kill(process)
      yield* engine.advance("1 day")
    })
  )
  expect(log).toEqual(["lives", "lives"])
  expect(engine.clock.timers.left).toEqual([])
})

it("a loop looks less often while nothing happens, and is back in its own time when something does", () => {
  const engine = new Engine()
  const looks: Array<number> = []
  let quiet = Infinity
  engine.run(
    Effect.gen(function* () {
      const look = Effect.map(Clock.currentTimeMillis, (now) => looks.push(now - Simulation.START))
      yield* Effect.fork(Process.periodic(Effect.forever(Effect.zipRight(look, Effect.sleep("1 minute")))))
      yield* engine.advance("2 days")
      quiet = looks.length
      engine.clock.stir()
      yield* engine.advance("61 seconds")
    })
  )
  expect(quiet).toBeLessThan(30)
  expect(looks.length).toBe(quiet + 1)
})

it("a loop that looks less often is back in its own time when a clock that was set back has caught up", () => {
  const engine = new Engine()
  const looks: Array<number> = []
  engine.run(
    Effect.gen(function* () {
      const look = Effect.sync(() => looks.push(engine.clock.elapsed))
      yield* Effect.fork(Process.periodic(Effect.forever(Effect.zipRight(look, Effect.sleep("7 seconds")))))
      yield* engine.advance("2 days")
      yield* engine.jump(-40 * 60_000)
      yield* engine.advance("1 hour")
    })
  )
  const caughtUp = 2 * 24 * HOUR + 40 * 60_000
  expect(looks).toContain(caughtUp + 7_000)
  // No new work appears in these twenty minutes, so the loop soon looks for work less often again.
  expect(looks.filter((at) => at > caughtUp).length).toBeLessThan(20)
})

it("a loop that waits for the answer whether there is work is in its own time when something happens meanwhile", () => {
  const engine = new Engine()
  const looks: Array<number> = []
  const exit = engine.run(
    Effect.gen(function* () {
      const answered = yield* Deferred.make<boolean>()
      let hasWork: Effect.Effect<boolean> = Effect.succeed(false)
      engine.clock.hasWorkBy = () => hasWork
      const look = Effect.map(Clock.currentTimeMillis, (now) => looks.push(now - Simulation.START))
      yield* Effect.fork(Process.periodic(Effect.forever(Effect.zipRight(look, Effect.sleep("50 seconds")))))
      yield* engine.advance("2 days")
      // When the loop wakes the next time, the clock asks `hasWorkBy` whether there is work. The answer comes only
      // later, when the test completes `answered`.
      hasWork = Deferred.await(answered)
      yield* engine.advance("1 day")
      const quiet = looks.length
      engine.clock.stir()
      yield* Deferred.succeed(answered, false)
      yield* engine.advance("50 seconds")
      return looks.length - quiet
    })
  )
  expect(exit).toEqual(Exit.succeed(1))
})

it("the pauses of a loop within a piece of work are as long as it asks for, however quiet it was before", () => {
  const engine = new Engine()
  const took = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    for (let step = 0; step < 100; step++) yield* Effect.sleep(step % 2 === 0 ? 1 : Pacing.LONGEST_MS)
    return (yield* Clock.currentTimeMillis) - begun
  })
  const exit = engine.run(Effect.zipRight(engine.advance("2 days"), Process.periodic(took)))
  expect(exit).toEqual(Exit.succeed(50 * (1 + Pacing.LONGEST_MS)))
})

it.each([
  ["an hour", 60, 24 / 6 + 6],
  ["a quarter of an hour", 15, 24 * 4 + 1]
])("a loop of %s, on the clock, looks at most so often in a quiet day: %i minutes, %i looks", (_, minutes, most) => {
  const engine = new Engine()
  const every = minutes * 60_000
  let looks = 0
  const look = Effect.map(Clock.currentTimeMillis, (now) => {
    looks++
    return every - (now % every)
  })
  engine.run(
    Effect.gen(function* () {
      yield* Effect.fork(Process.periodic(Effect.forever(Effect.flatMap(look, Effect.sleep))))
      yield* engine.advance("1 day")
    })
  )
  expect(looks).toBeLessThanOrEqual(most)
  // A polling loop with an interval of a quarter of an hour may sleep longer only if `hasDateBy` says that no
  // connection becomes due for the tier sweep. This test leaves `hasDateBy` at its default, so the loop must keep its
  // interval.
  expect(looks).toBeGreaterThanOrEqual(minutes === 15 ? most : 24 / 6)
})

it("who waits for something that is not virtual is stuck, and gets an error that says so", () => {
  expect(() => new Engine().run(Effect.async<void>(() => undefined))).toThrow(Stuck)
  expect(() => new Engine().run(new Engine().onHost(Effect.void))).toThrow(Stuck)
})

it.each([
  ["Date.now", () => Date.now()],
  ["new Date()", () => new Date()],
  ["Math.random", () => Math.random()],
  ["performance.now", () => performance.now()],
  ["crypto.randomUUID", () => crypto.randomUUID()],
  ["crypto.getRandomValues", () => crypto.getRandomValues(new Uint8Array(1))],
  ["setTimeout", () => clearTimeout(setTimeout(() => undefined, 1))],
  ["setInterval", () => clearInterval(setInterval(() => undefined, 1))],
  ["setImmediate", () => clearImmediate(setImmediate(() => undefined))],
  ["Date.now", () => DateTime.unsafeNow()],
  ["Math.random", () => new Utils.PCGRandom()]
])("a run that reads %s of the host fails and names who did [T1]", (what, read) => {
  const scenario = () => Effect.sync(read)
  expect(() => Simulation.runSync({ seed: 1, restCap: 0 }, scenario)).toThrow(what)
  expect(() => Simulation.runSync({ seed: 1, restCap: 0 }, scenario)).toThrow("engine.test.ts")
  expect(read).not.toThrow()
})

it("a date that is made of a moment reads nothing", () => {
  const dated = Simulation.runSync({ seed: 1, restCap: 0 }, () => Effect.sync(() => new Date(0).toISOString()))
  expect(dated.stopped).toBeNull()
})

it("who waits for what never comes, while loops repeat without end, gets an error that says so, and has waited for a retry of days before", () => {
  const loop = Process.periodic(Effect.forever(Effect.sleep("1 minute")))
  const waits = (never: Effect.Effect<unknown>) => Effect.zipRight(Effect.forkDaemon(loop), never)
  expect(() => new Engine().run(waits(Effect.promise(() => Promise.resolve())))).toThrow(Stuck)

  const engine = new Engine()
  const worker = { name: "worker", epoch: 1, isAlive: true }
  const retried = Effect.gen(function* () {
    const answer = yield* Deferred.make<string>()
    const later = Process.periodic(Effect.zipRight(Effect.sleep("6 days"), Deferred.succeed(answer, "told")))
    yield* engine.advance("29 days")
    yield* Effect.sleep("40 days")
    yield* engine.spawn(worker, later)
    return yield* Deferred.await(answer)
  })
  expect(engine.run(waits(retried))).toEqual(Exit.succeed("told"))
})
