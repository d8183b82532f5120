import { type Fix, FixHistory } from "@place-access/domain/fixes"
import { DeviceId, UserId } from "@place-access/domain/shared"
import { MemoryAccessLogStore, MemoryFixHistory } from "@place-access/domain/testing"
import { readDay } from "@place-access/domain/timeline"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { DAY, INSIDE, NOON, time } from "../support/rules.js"
import { VisitStores } from "../support/visits.js"

const userId = UserId.make("usr_1")
const FROM = NOON - (NOON % DAY)
const day = { date: "2026-01-01", from: time(FROM), until: time(FROM + DAY) } as Parameters<typeof readDay>[1]

/** The day of a phone that sent `count` readings, the last one at noon. */
const dayOf = (count: number) => {
  const sent = Array.from({ length: count }, (_, n) => {
    const at = time(NOON - n)
    return { ...INSIDE, userId, deviceId: DeviceId.make("dev_1"), capturedAt: at, receivedAt: at } as Fix.StoredFix
  })
  return TestClock.setTime(NOON).pipe(
    Effect.zipRight(readDay(userId, day)),
    Effect.updateService(FixHistory, (history) => ({
      ...history,
      newest: (_user, _now, _within, limit) => Effect.succeed(sent.slice(0, limit))
    })),
    Effect.provide(Layer.provideMerge(Layer.mergeAll(MemoryAccessLogStore.layer, MemoryFixHistory.layer), VisitStores))
  )
}

describe("readDay", () => {
  it.effect("a day with 20,000 readings is whole, and one with 20,001 is cut", () =>
    Effect.gen(function* () {
      expect((yield* dayOf(20_000)).isCut).toBe(false)
      expect((yield* dayOf(20_001)).isCut).toBe(true)
    })
  )
})
