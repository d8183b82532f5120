import { Erasure, HistoryStore } from "@place-access/domain/retention-choice"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { MemoryDatabase, MemoryHistoryStore } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const userId = UserId.make("usr_ana")
const NOW = Timestamp.make(Date.UTC(2026, 0, 15))

/** A stretch of one minute that begins `minutes` minutes before now. */
const stretch = (minutes: number) => {
  const from = Timestamp.plus(NOW, -minutes * Timestamp.MINUTE)
  return { from, until: Timestamp.plus(from, Timestamp.MINUTE) }
}

it.effect("500 stretches are stored; the next one only when it touches others [retention-choice-4]", () =>
  Effect.gen(function* () {
    const store = yield* HistoryStore
    for (let count = 1; count <= Erasure.MOST; count++) {
      expect(yield* store.erase(userId, stretch(2 * count), NOW)).toBe(true)
    }
    expect(yield* store.erase(userId, stretch(2 * Erasure.MOST + 2), NOW)).toBe(false)
    expect(yield* store.erasures(userId)).toHaveLength(Erasure.MOST)
    expect(yield* store.erase(userId, stretch(3), NOW)).toBe(true)
    expect(yield* store.erasures(userId)).toHaveLength(Erasure.MOST - 1)
  }).pipe(Effect.provide(Layer.provide(MemoryHistoryStore.layer, MemoryDatabase.layer)))
)
