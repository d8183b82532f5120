import { ingestFixes } from "@place-access/domain/fixes"
import { eraseHistory } from "@place-access/domain/retention-choice"
import { ImportSamples, MemoryDatabase, MemoryImportStore } from "@place-access/domain/testing"
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

  it.effect(
    "the upload that would accept the reading drops it when an archive has deleted its time meanwhile [exports-10, retention-choice-4]",
    () =>
      run(
        Effect.gen(function* () {
          const { phone } = yield* person
          const { userId } = phone
          // The server's clock is an hour behind. So two readings that are captured now seem to be from the future.
          yield* ingestFixes(phone, [AHEAD, reading(HOUR + MINUTE, INSIDE)], [])
          yield* TestClock.setTime(NOON + 2 * HOUR)
          const archive = yield* ImportSamples.waiting(userId)
          const { lease } = yield* ImportSamples.claimed(archive, "archive", time(NOON + 2 * HOUR))
          const erasures = [{ from: time(NOON + HOUR), until: time(NOON + HOUR + MINUTE) }]
          yield* ImportSamples.advance(ImportSamples.step(archive, lease, time(NOON + 2 * HOUR), { erasures }))
          yield* ingestFixes(phone, [reading(2 * HOUR, OUTSIDE)], [])
          expect(yield* stored).toEqual({ fixes: [HOUR + MINUTE, 2 * HOUR], quarantined: 0 })
        }).pipe(Effect.provide(MemoryImportStore.layer))
      )
  )
})
