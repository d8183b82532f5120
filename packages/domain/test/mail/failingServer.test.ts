import { everything } from "@place-access/domain/leases"
import { MailOutbox, runMail } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, MemoryMailer, MemoryMailOutbox } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { inVirtualTime, type World } from "../support/webhooks.js"

const { MINUTE } = Timestamp
const { isAway, Post, takes } = MemoryMailer

const layer = Layer.merge(MemoryMailer.layer, MemoryMailOutbox.layer)

/** Runs a program in virtual time and returns the warnings and errors that it logs. */
const logged = (program: Effect.Effect<void, unknown, World | Layer.Layer.Success<typeof layer>>) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) lines.push(message)
  })
  inVirtualTime(
    program.pipe(
      Logger.withMinimumLogLevel(LogLevel.All),
      Effect.provide(Layer.merge(layer, Logger.replace(Logger.defaultLogger, logger)))
    )
  )
  return lines
}

const script = (behaviour: MemoryMailer.Behaviour) => Effect.flatMap(Post, (post) => post.script(behaviour))

/** Stores two messages to a new user, and waits until the worker has tried to send each of them twice. */
const twoMore = Effect.gen(function* () {
  const { id: to } = yield* Fixtures.user
  const outbox = yield* MailOutbox
  for (const dedupeKey of ["one", "two"]) {
    yield* outbox.put({ to, dedupeKey, subject: "S", body: "B" }, yield* Timestamp.now)
  }
  yield* Effect.sleep(3 * MINUTE)
})

it("a failing mail server is one warning with its reason, and one more after it took a message [mail-3]", () => {
  const lines = logged(
    Effect.gen(function* () {
      yield* Effect.fork(runMail({ portal: "https://me.example", service: "https://api.example" }, everything.people))
      yield* script(isAway)
      yield* twoMore
      yield* script(takes)
      yield* Effect.sleep(6 * MINUTE)
      yield* script(isAway)
      yield* twoMore
    })
  )
  const warning = ["A message could not be sent. Until one is sent, no further retry is logged", "nobody answers"]
  expect(lines).toEqual([warning, warning])
})
