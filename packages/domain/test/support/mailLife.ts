import { type Mail, MailOutbox, type MailSending } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
import { claimMail, Fixtures } from "@place-access/domain/testing"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { expect } from "vitest"

/**
 * Generates random scenarios for a mail outbox, and runs them against any store of mail. Compares each result with a
 * second implementation of the guarantees:
 *
 * - The outbox keeps one message for each reader and key.
 * - Only one worker begins each attempt, and the beginning is stored before the message is sent.
 * - A message without a result is due again at the time that was given when the attempt began.
 * - If another worker has begun the message again, the first worker's result changes nothing.
 */

type How = "sent" | "retry" | "given up"

export type Step =
  | { readonly _tag: "Put"; readonly reader: number; readonly key: number }
  | { readonly _tag: "Claim"; readonly limit: number }
  /**
   * A worker ends its attempt: the worker that claimed a message last or, with `isOldest`, the worker whose claim is
   * the oldest.
   */
  | { readonly _tag: "Finish"; readonly how: How; readonly isOldest: boolean; readonly isTwice: boolean }
  | { readonly _tag: "Pass"; readonly millis: number }
  /** Several workers claim messages at the same time. */
  | { readonly _tag: "Race"; readonly workers: number; readonly limit: number }

const LEASE = Timestamp.MINUTE
const LATER = Timestamp.HOUR

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Put" as const),
      reader: fc.constantFrom(0, 1),
      key: fc.constantFrom(0, 0, 1, 2)
    })
  },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Claim" as const), limit: fc.constantFrom(1, 1, 2, 20) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Finish" as const),
      how: fc.constantFrom<How>("sent", "retry", "retry", "given up"),
      isOldest: fc.boolean(),
      isTwice: fc.boolean()
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Pass" as const),
      millis: fc.constantFrom(1, LEASE - 1, LEASE, LEASE, LATER - 1, LATER)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Race" as const),
      workers: fc.constantFrom(2, 3),
      limit: fc.constantFrom(1, 2, 20)
    })
  }
)

/** A worker ends its attempt after another worker has begun the next attempt for the same message. */
const overtaken = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom<How>("sent", "retry", "given up"))
  .map(([key, how]): ReadonlyArray<Step> => [
    { _tag: "Put", reader: 0, key },
    { _tag: "Claim", limit: 20 },
    { _tag: "Pass", millis: LEASE },
    { _tag: "Claim", limit: 20 },
    { _tag: "Finish", how, isOldest: true, isTwice: false }
  ])

const moves = fc.oneof(
  { weight: 15, arbitrary: step.map((one): ReadonlyArray<Step> => [one]) },
  { weight: 1, arbitrary: overtaken }
)

export const mailLives: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .array(moves, { minLength: 1, maxLength: 25 })
  .map((all) => all.flat())

export const MAIL_MARKS = [
  "begun again, for it had no result",
  "finished by a worker that was overtaken",
  "finished twice",
  "given up",
  "put again",
  "put again after it was sent",
  "raced for",
  "sent",
  "sent after a retry",
  "waited for a result"
]

interface Row {
  readonly message: Mail.MailMessage
  readonly createdAt: number
  attempts: number
  dueAt: number
  isLeased: boolean
  isRetried: boolean
  sentAt: number | null
  givenUpAt: number | null
  lastError: string | null
}

/**
 * Runs a scenario and fails when the store violates a guarantee. Adds to `met` the name of each situation that the
 * scenario reached. `pass` lets time pass. By default it moves the test clock, which each time waits some real
 * milliseconds until all fibers sleep.
 */
export const liveMail = (
  steps: ReadonlyArray<Step>,
  met: Set<string>,
  pass: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const outbox = yield* MailOutbox
    const readers = [(yield* Fixtures.user).id, (yield* Fixtures.user).id] as const
    const rows = new Map<string, Row>()
    const held: Array<{ readonly row: Row; readonly attempt: number; isDone: boolean }> = []
    const nameOf = ({ dedupeKey, to }: Pick<Mail.MailMessage, "dedupeKey" | "to">) => `${to} ${dedupeKey}`
    const isOpen = (row: Row) => row.sentAt === null && row.givenUpAt === null

    const claimed = (
      claimed: ReadonlyArray<{ readonly message: Mail.MailMessage; readonly attempt: number }>,
      now: number
    ) => {
      for (const { attempt, message } of claimed) {
        const row = rows.get(nameOf(message))
        if (row === undefined) continue
        expect([message, attempt]).toEqual([row.message, row.attempts + 1])
        if (row.isLeased) met.add("begun again, for it had no result")
        row.attempts = attempt
        row.dueAt = now + LEASE
        row.isLeased = true
        held.push({ row, attempt, isDone: false })
      }
    }

    const dueNow = (now: number) => {
      for (const row of rows.values())
        if (isOpen(row) && row.isLeased && row.dueAt > now) met.add("waited for a result")
      return [...rows.values()].filter((row) => isOpen(row) && row.dueAt <= now).sort((a, b) => a.dueAt - b.dueAt)
    }

    const own = (claimed: ReadonlyArray<{ readonly message: Mail.MailMessage; readonly attempt: number }>) =>
      claimed.filter(({ message }) => readers.includes(message.to))

    const claim = (limit: number, now: Timestamp.Timestamp) =>
      Effect.map(claimMail(limit, now, Timestamp.plus(now, LEASE)), own)

    const finish = ({ how, isOldest, isTwice }: Extract<Step, { _tag: "Finish" }>, now: Timestamp.Timestamp) =>
      Effect.gen(function* () {
        const one = isOldest ? held.find(({ isDone }) => isTwice || !isDone) : held.at(-1)
        if (one === undefined) return
        const { attempt, row } = one
        if (row.attempts !== attempt) met.add("finished by a worker that was overtaken")
        if (one.isDone) met.add("finished twice")
        one.isDone = true
        const reason = `attempt ${attempt} of ${row.message.dedupeKey}`
        const end: MailSending.MailFinish =
          how === "sent"
            ? { _tag: "Sent", at: now }
            : how === "retry"
              ? { _tag: "Retry", dueAt: Timestamp.plus(now, LATER), reason }
              : { _tag: "GivenUp", at: now, reason }
        const isWritten = yield* outbox.finish({ attempt, message: row.message }, end)
        // A worker may store the end of its attempt while the message is open and no worker has begun a later attempt.
        // This also holds when the worker already ended the attempt with a retry. So the worker may postpone one
        // attempt twice.
        if (isOpen(row) && row.attempts === attempt) {
          expect(isWritten).toBe(true)
          row.isLeased = false
          if (how === "sent") row.sentAt = now
          else row.lastError = reason
          if (how === "retry") row.dueAt = now + LATER
          if (how === "given up") row.givenUpAt = now
          if (how === "sent" && row.isRetried) met.add("sent after a retry")
          row.isRetried ||= how === "retry"
          if (how !== "retry") met.add(how)
        } else expect(isWritten).toBe(false)
      })

    const take = (one: Step, now: Timestamp.Timestamp) =>
      Effect.gen(function* () {
        switch (one._tag) {
          case "Put": {
            const to = readers[one.reader] ?? readers[0]
            const dedupeKey = `key ${one.key}`
            const before = rows.get(nameOf({ to, dedupeKey }))
            const message = { to, dedupeKey, subject: `Written at ${now}`, body: "Text" }
            if (before !== undefined) met.add(before.sentAt === null ? "put again" : "put again after it was sent")
            yield* outbox.put(message, now)
            if (before !== undefined) return
            const fresh = {
              attempts: 0,
              sentAt: null,
              givenUpAt: null,
              lastError: null,
              isLeased: false,
              isRetried: false
            }
            rows.set(nameOf(message), { message, createdAt: now, dueAt: now, ...fresh })
            return
          }
          case "Claim": {
            const due = dueNow(now)
            const messages = yield* claim(one.limit, now)
            expect(messages.length).toBe(Math.min(one.limit, due.length))
            // The message that has been due longest comes first. Messages that became due at one instant may be in any
            // order.
            const dueAts = messages.map(({ message }) => rows.get(nameOf(message))?.dueAt)
            expect([...dueAts].sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
              due.slice(0, one.limit).map(({ dueAt }) => dueAt)
            )
            return claimed(messages, now)
          }
          case "Race": {
            const due = dueNow(now)
            const rivals = Array.from({ length: one.workers }, () => claim(one.limit, now))
            const messages = (yield* Effect.all(rivals, { concurrency: "unbounded" })).flat()
            const names = messages.map(({ message }) => nameOf(message))
            expect(new Set(names).size).toBe(names.length)
            expect(names.filter((name) => !due.some(({ message }) => nameOf(message) === name))).toEqual([])
            if (due.length > 1) met.add("raced for")
            return claimed(messages, now)
          }
          case "Finish":
            return yield* finish(one, now)
          case "Pass":
            return yield* pass(one.millis)
        }
      })

    // Marks all messages of this scenario as sent, even if the scenario fails, so that none is due in the next
    // scenario.
    const settle = Effect.suspend(() =>
      Effect.forEach(rows.values(), ({ attempts, message }) =>
        outbox.finish({ attempt: attempts, message }, { _tag: "Sent", at: Timestamp.make(0) })
      )
    )

    const live = Effect.forEach(steps, (one) => Effect.flatMap(Timestamp.now, (now) => take(one, now)), {
      discard: true
    })
    const compare = Effect.gen(function* () {
      const stored = (yield* outbox.recent(10_000)).filter(({ message }) => readers.includes(message.to))
      const plain = (
        kept: Omit<Mail.KeptMail, "createdAt" | "sentAt" | "givenUpAt"> & { readonly [at: string]: unknown }
      ) => [
        nameOf(kept.message),
        kept.message.subject,
        kept["createdAt"],
        kept.attempts,
        kept["sentAt"],
        kept["givenUpAt"],
        kept.lastError
      ]
      const byName = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) => (String(a[0]) < String(b[0]) ? -1 : 1)
      expect(stored.map((kept) => plain({ ...kept })).sort(byName)).toEqual(
        [...rows.values()].map((row) => plain({ ...row })).sort(byName)
      )
    })
    yield* Effect.ensuring(Effect.zipRight(live, compare), Effect.orDie(settle))
  })
