import { ingestFixes } from "@place-access/domain/fixes"
import { chooseHistory } from "@place-access/domain/retention-choice"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE } from "../support/rules.js"
import { person, reading, run } from "../support/uploads.js"

it.effect.each([
  ["is forgotten, also before a sweep", 30, false],
  ["counts while the history of its time is kept", 90, true]
] as const)("the last move of another phone %s [devices-6, retention-choice-2]", ([, days, isLeftBehind]) =>
  run(
    Effect.gen(function* () {
      const { phone, user } = yield* person
      const carried = yield* RuleSamples.device(user.id)
      // Both phones are at home. Then one of them leaves, and an hour later the other one sends a reading from home.
      yield* ingestFixes(phone, [reading(-2 * HOUR, INSIDE)], [])
      const left = [reading(-2 * HOUR, INSIDE), reading(-HOUR, OUTSIDE), reading(-HOUR + MINUTE, OUTSIDE)]
      yield* ingestFixes(carried, left, [])
      yield* TestClock.setTime(NOON + 30 * DAY - MINUTE)
      yield* chooseHistory(user.id, days)
      // The newest reading of the phone that left is more than 30 days old now. The reading from home is younger.
      yield* ingestFixes(phone, [reading(0, INSIDE)], [])
      const { fixes } = yield* MemoryDatabase
      const fromHome = [...fixes.values()].filter(({ capturedAt }) => capturedAt === NOON)
      expect(fromHome.map((fix) => fix.isLeftBehind ?? false)).toEqual([isLeftBehind])
    })
  )
)
