import { ingestFixes } from "@place-access/domain/fixes"
import { eraseHistory } from "@place-access/domain/retention-choice"
import { MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { HOUR, INSIDE, MINUTE, NOON, OUTSIDE, SECOND, time } from "../support/rules.js"
import { person, reading, run } from "../support/uploads.js"

type Phone = Effect.Effect.Success<typeof person>["phone"]

/** A phone whose clock is ahead. All times are in milliseconds after noon. */
interface Life {
  readonly aheadBy: number
  /** The times of the first and the last reading that the phone captures with its wrong clock. */
  readonly from: number
  readonly until: number
  readonly every: number
  readonly isInside: (after: number) => boolean
}

/** At the time `after`, the phone sends a reading whose capture time is `aheadBy` milliseconds later. */
const send = (phone: Phone, after: number, isInside: boolean, aheadBy = 0) =>
  TestClock.setTime(NOON + after).pipe(
    Effect.zipRight(ingestFixes(phone, [reading(after + aheadBy, isInside ? INSIDE : OUTSIDE)], []))
  )

const sendAhead = (phone: Phone, { aheadBy, every, from, isInside, until }: Life) =>
  Effect.gen(function* () {
    for (let after = from; after <= until; after += every) yield* send(phone, after, isInside(after), aheadBy)
  })

/** The capture times of the stored fixes, the number of quarantined readings, and the types of the events. */
const stored = Effect.map(MemoryDatabase, ({ events, fixes, quarantined }) => ({
  fixes: [...fixes.values()].map(({ capturedAt }) => capturedAt - NOON),
  quarantined: quarantined.size,
  events: [...events.values()].map(({ payload }) => payload.type)
}))

const TEN_MINUTES: Life = {
  aheadBy: 10 * MINUTE,
  from: 0,
  until: 2 * HOUR,
  every: 5 * MINUTE,
  isInside: (after) => after < HOUR
}

describe("a phone whose clock was ahead for longer than its lead, and is put right [fixes-4]", () => {
  it.effect("adds none of its wrong times: ten minutes ahead for two hours", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* sendAhead(phone, TEN_MINUTES)
        const right = [125, 130].map((minutes) => minutes * MINUTE)
        for (const after of right) yield* send(phone, after, false)
        expect(yield* stored).toEqual({ fixes: right, quarantined: 25, events: [] })
      })
    )
  )

  it.effect("nor 20 hours ahead for 26 hours", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        const life = { aheadBy: 20 * HOUR, from: 0, until: 26 * HOUR - 1, every: HOUR / 2 }
        yield* sendAhead(phone, { ...life, isInside: (after) => after < 5 * HOUR })
        const right = [26 * HOUR, 26 * HOUR + 5 * MINUTE]
        for (const after of right) yield* send(phone, after, false)
        expect(yield* stored).toEqual({ fixes: right, quarantined: 52, events: [] })
      })
    )
  )

  it.effect("and fires no rule: an arrival of three hours ago is not an arrival now", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* send(phone, 0, false)
        const life = { aheadBy: 3 * HOUR, from: 50 * MINUTE, until: 235 * MINUTE, every: 5 * MINUTE }
        yield* sendAhead(phone, { ...life, isInside: (after) => after <= HOUR })
        yield* send(phone, 241 * MINUTE, false)
        expect(yield* stored).toEqual({ fixes: [0, 241 * MINUTE], quarantined: 38, events: [] })
      })
    )
  )

  it.effect("nor with more readings than one upload checks, however many uploads follow", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        for (let after = 0; after <= 2 * HOUR; after += 5 * MINUTE) {
          const sent = Array.from({ length: 30 }, (_, index) => reading(after + 10 * MINUTE - index * SECOND, INSIDE))
          yield* TestClock.setTime(NOON + after)
          yield* ingestFixes(phone, sent, [])
        }
        const right = [125, 130, 140, 200].map((minutes) => minutes * MINUTE)
        for (const after of right) yield* send(phone, after, false)
        expect(yield* stored).toEqual({ fixes: right, quarantined: 750, events: [] })
      })
    )
  )

  it.effect("nor after the owner deletes the readings that show it [retention-choice-5]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* sendAhead(phone, TEN_MINUTES)
        yield* send(phone, 125 * MINUTE, false)
        yield* TestClock.setTime(NOON + 130 * MINUTE)
        yield* eraseHistory(phone.userId, { from: time(NOON + 115 * MINUTE), until: time(NOON + 130 * MINUTE) })
        yield* send(phone, 130 * MINUTE, false)
        expect((yield* stored).fixes).toEqual([130 * MINUTE])
      })
    )
  )

  it.effect("but readings further apart than the lead contradict nothing: they come back at wrong times", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* sendAhead(phone, { ...TEN_MINUTES, until: HOUR, every: HOUR / 2 })
        yield* send(phone, 75 * MINUTE, false)
        expect((yield* stored).fixes).toEqual([10, 40, 70, 75].map((minutes) => minutes * MINUTE))
      })
    )
  )
})
