import { VirtualTime } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, FastCheck as fc, Fiber, Schedule } from "effect"

const { runVirtual, START } = VirtualTime

it("time stands still until everybody waits, then jumps to the next timer", () => {
  const seen = runVirtual(
    Effect.gen(function* () {
      const before = yield* Clock.currentTimeMillis
      yield* Effect.sleep("90 days")
      return [before, yield* Clock.currentTimeMillis]
    })
  )
  expect(seen).toEqual(Exit.succeed([START, START + 90 * 86_400_000]))
})

it("equal times fire in the order in which they were set, others by time", () => {
  const log: Array<string> = []
  const say = (word: string, millis: number) =>
    Effect.zipRight(
      Effect.sleep(millis),
      Effect.sync(() => log.push(word))
    )
  runVirtual(
    Effect.all([say("c", 20), say("a", 10), say("b", 10), say("d", 30), say("e", 30)], { concurrency: "unbounded" })
  )
  expect(log).toEqual(["a", "b", "c", "d", "e"])
})

it("timers fire in order of time, whatever order they were set in", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 60 }), (delays) => {
      const fired: Array<readonly [number, number]> = []
      runVirtual(
        Effect.forEach(
          delays,
          (delay, index) =>
            Effect.zipRight(
              Effect.sleep(delay),
              Effect.sync(() => fired.push([delay, index]))
            ),
          { concurrency: "unbounded" }
        )
      )
      const expected = delays.map((delay, index) => [delay, index] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1])
      expect(fired).toEqual(expected)
    })
  )
})

it("a timer that nobody waits for any more does not move the time", () => {
  const seen = runVirtual(
    Effect.gen(function* () {
      const sleeper = yield* Effect.fork(Effect.sleep("1 hour"))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(sleeper)
      const timeout = yield* Effect.timeoutTo(Effect.sleep("10 seconds"), {
        duration: "5 seconds",
        onSuccess: () => "slept",
        onTimeout: () => "cut short"
      })
      return [timeout, (yield* Clock.currentTimeMillis) - START]
    })
  )
  expect(seen).toEqual(Exit.succeed(["cut short", 6_000]))
})

it("waiting for something outside virtual time, or for nothing, is an error and not a hang", () => {
  expect(() => runVirtual(Effect.async<void>(() => undefined))).toThrow(/Stuck/)
  expect(() => runVirtual(Effect.promise(() => Promise.resolve()))).toThrow(/Stuck/)
})

it("failures and defects are the run's exit", () => {
  expect(runVirtual(Effect.fail("no"))).toEqual(Exit.fail("no"))
  expect(runVirtual(Effect.die("oh"))).toEqual(Exit.die("oh"))
})

it("the same program takes the same steps every time", () => {
  const trace = () => {
    const log: Array<string> = []
    const worker = (name: number) =>
      Effect.repeat(
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sync(() => log.push(`${now} ${name}`))),
        Schedule.spaced(7 + (name % 5)).pipe(Schedule.upTo("2 seconds"))
      )
    runVirtual(
      Effect.all(
        Array.from({ length: 20 }, (_, name) => worker(name)),
        { concurrency: "unbounded" }
      )
    )
    return log
  }
  const first = trace()
  expect(first.length).toBeGreaterThan(3_000)
  expect(trace()).toEqual(first)
})
