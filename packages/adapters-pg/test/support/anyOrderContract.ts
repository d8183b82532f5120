import { Check, type Contract } from "@place-access/domain/testing"
import { Effect } from "effect"
import { visitLifeOf } from "../../../domain/test/support/visitLives.js"
import { replayVisits } from "../../../domain/test/support/visitReplay.js"

/**
 * Seeds whose scenarios found faults in a store. More seeds that found faults are in
 * `packages/domain/test/visits/anyOrder.test.ts`.
 */
const SEEDS = [5, 41, 58]

export const anyOrderContract: Contract<Effect.Effect.Context<ReturnType<typeof replayVisits>>> = SEEDS.map((seed) => ({
  name: `any chunking and order of the same uploads gives the same visits: life ${seed}`,
  run: Effect.gen(function* () {
    for (const uploads of [seed, -seed]) {
      const { expected, told } = yield* replayVisits(visitLifeOf(seed, uploads), `${seed}_${uploads}`, 1 + (seed % 7))
      Check.equal(told, expected, "visits")
    }
  })
}))
