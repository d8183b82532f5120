import { ingestFixes } from "@place-access/domain/fixes"
import { eraseHistory } from "@place-access/domain/retention-choice"
import { MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"
import { person, reading, run } from "../support/uploads.js"

/** The phone's clock is an hour ahead at noon. Ten minutes later it is right. */
const AHEAD = reading(HOUR, INSIDE)
const RIGHT = reading(10 * MINUTE, OUTSIDE)

const STRETCH = { from: time(NOON + 5 * MINUTE), until: time(NOON + 15 * MINUTE) }

const stored = Effect.map(MemoryDatabase, ({ fixes, quarantined }) => ({
  fixes: [...fixes.values()].map(({ capturedAt }) => capturedAt - NOON),
  quarantined: quarantined.size
}))

describe("a reading from the future and the deletion of a stretch", () => {
  it.effect(
    "the reading is not accepted after the reading that showed the wrong clock was deleted [retention-choice-5]",
    () =>
      run(
        Effect.gen(function* () {
          const { phone } = yield* person
          yield* ingestFixes(phone, [AHEAD], [])
          yield* TestClock.setTime(NOON + 10 * MINUTE)
          yield* ingestFixes(phone, [RIGHT], [])
          yield* TestClock.setTime(NOON + 2 * HOUR)
          yield* eraseHistory(phone.userId, STRETCH)
          yield* ingestFixes(phone, [reading(2 * HOUR, OUTSIDE)], [])
          expect(yield* stored).toEqual({ fixes: [2 * HOUR], quarantined: 0 })
        })
      )
  )

  it.effect("nor when the reading that shows the wrong clock comes only after the deletion [retention-choice-5]", () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* ingestFixes(phone, [AHEAD], [])
        yield* TestClock.setTime(NOON + 2 * HOUR)
        yield* eraseHistory(phone.userId, STRETCH)
        yield* ingestFixes(phone, [RIGHT, reading(2 * HOUR, OUTSIDE)], [])
        expect(yield* stored).toEqual({ fixes: [2 * HOUR], quarantined: 0 })
      })
    )
  )

  it.effect(
    "a reading from the future that the upload brings while the deletion happens is not stored [retention-choice-5]",
    () =>
      run(
        Effect.gen(function* () {
          const { phone } = yield* person
          const arrivedAt = time(NOON + 10 * MINUTE)
          yield* TestClock.setTime(NOON + 15 * MINUTE)
          yield* eraseHistory(phone.userId, STRETCH)
          yield* ingestFixes(phone, [AHEAD], [], arrivedAt)
          expect(yield* stored).toEqual({ fixes: [], quarantined: 0 })
        })
      )
  )
})
