import { daysForApp, fixesForApp, latestForApp, nearestForApp } from "@place-access/domain/answers"
import { type FixHistory, ingestFixes } from "@place-access/domain/fixes"
import { Timestamp, type Vault } from "@place-access/domain/shared"
import { MemoryFixHistory, RuleSamples } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { INSIDE, MINUTE, NOON, time } from "../support/rules.js"
import { UploadStores } from "../support/uploads.js"

const stores = MemoryFixHistory.layer.pipe(Layer.provideMerge(UploadStores))

it.effect(
  "a paused app gets no coordinates by any of the four questions, and gets them again afterwards [connection-4]",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { connection, user } = yield* RuleSamples.sharing()
      const phone = yield* RuleSamples.device(user.id)
      const at = time(NOON - MINUTE)
      yield* ingestFixes(phone, [{ capturedAt: at, ...INSIDE, accuracyM: 10 }], [])
      const span = { from: Timestamp.plus(at, -MINUTE), until: time(NOON) }
      const answers = (until: Timestamp.Timestamp | null) =>
        Effect.gen(function* () {
          const asker = { ...connection, pause: until === null ? null : { from: at, until } }
          const latest = yield* latestForApp(asker)
          const nearest = yield* nearestForApp(asker, at, MINUTE)
          const { fixes } = yield* fixesForApp(asker, span, 10, undefined)
          const days = yield* daysForApp(asker, span, "UTC")
          return [Option.isSome(latest), nearest !== undefined, fixes.length > 0, days.length > 0]
        })
      expect(yield* answers(null)).toEqual([true, true, true, true])
      expect(yield* answers(time(NOON + 1))).toEqual([false, false, false, false])
      expect(yield* answers(time(NOON))).toEqual([true, true, true, true])
    }).pipe(Effect.provide(stores))
)

it.effect("a mistake in a question about the past is refused during a pause, as without a pause [connection-4]", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    const { connection } = yield* RuleSamples.sharing()
    const right = { from: time(NOON - MINUTE), until: time(NOON) }
    const wrong = { from: right.until, until: right.from }
    const long = { from: Timestamp.plus(right.from, -400 * Timestamp.DAY), until: right.until }
    for (const pause of [null, { from: time(NOON), until: null }]) {
      const asker = { ...connection, pause }
      const questions: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }, FixHistory | Vault.Vault>> = [
        fixesForApp(asker, wrong, 10, undefined),
        fixesForApp(asker, long, 10, undefined),
        fixesForApp(asker, right, 10, "a cursor of nobody"),
        daysForApp(asker, wrong, "UTC"),
        daysForApp(asker, long, "UTC"),
        daysForApp(asker, right, "+02:00")
      ]
      for (const question of questions) expect((yield* Effect.flip(question))._tag).toBe("Invalid")
    }
  }).pipe(Effect.provide(stores))
)
