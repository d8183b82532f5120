import { StoreError } from "@place-access/domain/shared"
import { Effect, Logger, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import * as PassingFailure from "@place-access/adapters-http/wire/PassingFailure"

const full = (code: string) =>
  StoreError.unavailable(
    new Error("Failed to execute statement", {
      cause: Object.assign(new Error("could not extend file: No space left on device"), { code })
    })
  )

const linesOf = (work: Effect.Effect<unknown>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ annotations, logLevel, message }) => {
    lines.push([logLevel.label, String(message), ...Array.from(annotations, (one) => one.join("="))].join(" "))
  })
  return Effect.runPromise(
    Effect.as(work, lines).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.provide(TestContext.TestContext)
    )
  )
}

it("a reason is logged at once; again after 10 s, with the number of requests in between [errors-3]", async () => {
  const text = "WARN A request gets 503: could not extend file: No space left on device reason=53100"
  expect(
    await linesOf(
      Effect.gen(function* () {
        yield* PassingFailure.logStore(full("53100"))
        yield* PassingFailure.logStore(full("53100"))
        yield* TestClock.adjust("9999 millis")
        yield* PassingFailure.logStore(full("53100"))
        yield* TestClock.adjust("1 millis")
        yield* PassingFailure.logStore(full("53100"))
        yield* TestClock.adjust("10 seconds")
        yield* PassingFailure.logStore(full("53100"))
      })
    )
  ).toEqual([text, `${text} more=2`, text])
})

it("another reason has lines of its own, and so has a refusal of admission control [errors-3]", async () => {
  const lines = await linesOf(
    Effect.gen(function* () {
      yield* PassingFailure.logStore(full("53200"))
      yield* PassingFailure.logStore(full("55P03"))
      yield* PassingFailure.logBusy
      yield* PassingFailure.logBusy
    })
  )
  expect(lines.map((line) => / reason=(\w+)/.exec(line)?.[1])).toEqual(["53200", "55P03", "busy"])
})

it("a clock that is set back does not silence the log [errors-3]", async () => {
  const lines = await linesOf(
    Effect.gen(function* () {
      yield* TestClock.setTime(3_600_000)
      yield* PassingFailure.logStore(full("53300"))
      yield* TestClock.setTime(0)
      yield* PassingFailure.logStore(full("53300"))
    })
  )
  expect(lines).toHaveLength(2)
})

it("an error without a code is named by its innermost message; a code without a message by its code [errors-3]", async () => {
  const timeout = new Error("Failed to acquire", { cause: new Error("timeout exceeded when trying to connect") })
  const refused = new Error("x", { cause: Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" }) })
  expect(
    await linesOf(
      Effect.gen(function* () {
        yield* PassingFailure.logStore(StoreError.unavailable(timeout))
        yield* PassingFailure.logStore(StoreError.unavailable(refused))
        yield* PassingFailure.logStore(StoreError.unavailable("Too many uploads wait"))
      })
    )
  ).toEqual([
    "WARN A request gets 503: timeout exceeded when trying to connect",
    "WARN A request gets 503: ECONNREFUSED reason=ECONNREFUSED",
    "WARN A request gets 503: Too many uploads wait"
  ])
})
