import type { Contract } from "@place-access/domain/testing"
import { it } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { describe } from "vitest"

/** The time of the clock when a case begins; a case may move it with `TestClock.adjust`. */
export const START = Date.UTC(2026, 0, 15, 12)

/** Runs every case of a contract as a test of its own, each on a new layer. */
export const runContract = <R, E>(name: string, contract: Contract<R>, layer: Layer.Layer<R, E>): void => {
  describe(name, () => {
    for (const { name: rule, run } of contract) {
      it.effect(rule, () => TestClock.setTime(START).pipe(Effect.zipRight(run), Effect.provide(layer)))
    }
  })
}
