import type { Contract } from "@place-access/domain/testing"
import { it } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { describe } from "vitest"

/** The time of the clock at the beginning of each case. A case may move the clock with `TestClock.adjust`. */
export const START = Date.UTC(2026, 0, 15, 12)

/** Runs each case of a contract as a separate test, with a newly built layer. */
export const runContract = <R, E>(name: string, contract: Contract<R>, layer: Layer.Layer<R, E>): void => {
  describe(name, () => {
    for (const { name: rule, run } of contract) {
      it.effect(rule, () => TestClock.setTime(START).pipe(Effect.zipRight(run), Effect.provide(layer)))
    }
  })
}
