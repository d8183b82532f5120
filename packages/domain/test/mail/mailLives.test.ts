import { everything } from "@place-access/domain/leases"
import { type Mail, MailOutbox, runMail } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryMailer,
  MemoryMailOutbox
} from "@place-access/domain/testing"
import { Effect, FastCheck as fc, Fiber, Layer } from "effect"
import { expect, it } from "vitest"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { liveMail, MAIL_MARKS, mailLives } from "../support/mailLife.js"
import { inVirtualTime } from "../support/webhooks.js"

const { DAY, HOUR, MINUTE, SECOND } = Timestamp

const stores = Layer.mergeAll(MemoryMailOutbox.layer, MemoryAccountStore.layer, MemoryEntropy.layer).pipe(
  Layer.provide(MemoryDatabase.layer)
)

it("the outbox keeps a message once, gives it to one worker at a time and accepts the result of that worker, over generated lives", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(mailLives, (steps) => inVirtualTime(liveMail(steps, met, Effect.sleep).pipe(Effect.provide(stores)))),
    200
  )
  expect([...met].sort()).toEqual(MAIL_MARKS)
})

/** The wait before each retry, copied from the decision and not imported from the product. */
const WAITS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY]
/** The longest time that an attempt takes. An attempt that has no result by then counts as failed. */
const DEADLINE = 11 * MINUTE

/** The interval at which the worker looks for due mail. */
const EVERY = 5 * MINUTE

/**
 * What the mail server answers to an attempt, and how long the answer takes. Results arrive at whole seconds, and
 * workers die between two whole seconds, so that no worker dies at the instant at which a result arrives.
 */
const server = fc.record({
  outcome: fc.constantFrom(
    "Sent" as const,
    "NotSent" as const,
    "NotSent" as const,
    "NotSent" as const,
    "Refused" as const
  ),
  takesMs: fc.constantFrom(0, 0, SECOND, 59 * SECOND)
})
const death = fc.record({
  afterMs: fc.constantFrom(0, SECOND, 59 * SECOND, MINUTE, HOUR, DAY).map((millis) => millis + 7),
  downMs: fc.constantFrom(1, DEADLINE + MINUTE - 1, DEADLINE + MINUTE, DAY, 7 * DAY)
})

interface Attempt {
  readonly id: string
  readonly startedAt: number
  /** The end of the attempt; null when the worker died during the attempt. */
  endedAt: number | null
  readonly outcome: "Sent" | "NotSent" | "Refused"
}

/** The earliest time of another attempt after the attempt at `index`; null when there must be none. */
const nextAt = ({ endedAt, outcome, startedAt }: Attempt, index: number): number | null => {
  const wait = WAITS[index]
  if (endedAt === null) return startedAt + DEADLINE + (wait ?? DAY)
  return outcome !== "NotSent" || wait === undefined ? null : endedAt + wait
}

it("whenever workers die and whatever the server says: no message too early, too often, after its end, or lost", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(
      fc.array(fc.array(server, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 4 }),
      fc.array(death, { maxLength: 5 }),
      (servers, deaths) => {
        inVirtualTime(
          Effect.gen(function* () {
            const attempts: Array<Attempt> = []
            const outbox = yield* MailOutbox
            const { id: to } = yield* Fixtures.user
            const begun = yield* Timestamp.now
            const messages = servers.map((_, index): Mail.MailMessage => ({
              to,
              dedupeKey: `${index}`,
              subject: `${index}`,
              body: ""
            }))
            yield* Effect.forEach(messages, (message) => outbox.put(message, begun))
            const post = yield* MemoryMailer.Post
            yield* post.script(({ id, subject }) =>
              Effect.gen(function* () {
                const script = servers[Number(subject)] ?? []
                const before = attempts.filter((one) => one.id === id).length
                const { outcome, takesMs } = script[before % script.length] ?? { outcome: "Sent", takesMs: 0 }
                const attempt: Attempt = { id, outcome, startedAt: yield* Timestamp.now, endedAt: null }
                attempts.push(attempt)
                yield* Effect.sleep(takesMs)
                attempt.endedAt = yield* Timestamp.now
                return outcome === "Sent" ? { _tag: outcome } : { _tag: outcome, reason: outcome }
              })
            )
            const worker = Effect.fork(
              Effect.interruptible(runMail({ portal: "", service: "" }, everything.people, EVERY))
            )
            let fiber = yield* worker
            for (const { afterMs, downMs } of deaths) {
              yield* Effect.sleep(afterMs)
              yield* Fiber.interrupt(fiber)
              met.add("a worker died")
              yield* Effect.sleep(downMs)
              fiber = yield* worker
            }
            yield* Effect.sleep(3 * DAY)
            yield* Fiber.interrupt(fiber)

            const ids = [...new Set(attempts.map(({ id }) => id))]
            for (const id of ids) {
              const own = attempts.filter((one) => one.id === id)
              expect(own.length).toBeLessThanOrEqual(8)
              if (own.length === 8) met.add("eight attempts")
              for (const [index, attempt] of own.entries()) {
                const next = own[index + 1]
                const earliest = nextAt(attempt, index)
                if (attempt.endedAt === null) met.add("a worker died while it sent")
                if (next === undefined) continue
                expect(earliest).not.toBeNull()
                expect(next.startedAt).toBeGreaterThanOrEqual(earliest ?? 0)
                // If no worker dies, the next attempt may begin late by at most one interval of the worker's look-ups
                // and two minutes. The two minutes are for other mail that is due: the worker sends only a few messages
                // at a time (`MailSending.AT_ONCE`).
                if (deaths.length === 0) {
                  expect(next.startedAt).toBeLessThanOrEqual((earliest ?? 0) + 2 * MINUTE + EVERY)
                }
              }
            }
            const kept = yield* outbox.recent(100)
            for (const { givenUpAt, lastError, message, sentAt } of kept) {
              const id = (yield* post.letters).find(({ subject }) => subject === message.subject)?.id
              const own = attempts.filter((one) => one.id === id)
              const isSent = own.some(({ endedAt, outcome }) => endedAt !== null && outcome === "Sent")
              expect([message.subject, sentAt !== null, givenUpAt !== null]).toEqual([message.subject, isSent, !isSent])
              if (isSent) continue
              // A message is given up for one of three reasons: it was refused, it was tried eight times, or no worker
              // handled it for a week.
              const isRefused = own.at(-1)?.endedAt != null && own.at(-1)?.outcome === "Refused"
              const isOld = lastError === "older than 7 days" && (givenUpAt ?? 0) - begun > 7 * DAY
              met.add(isRefused ? "refused" : isOld ? "too old" : "given up")
              expect([message.subject, isRefused || isOld || own.length === 8]).toEqual([message.subject, true])
            }
          }).pipe(Effect.provide(Layer.merge(MemoryMailer.layer, MemoryMailOutbox.layer)))
        )
      }
    ),
    60
  )
  expect([...met].sort()).toEqual([
    "a worker died",
    "a worker died while it sent",
    "eight attempts",
    "given up",
    "refused",
    "too old"
  ])
})
