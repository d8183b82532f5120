import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { firstLife, lifeOf } from "../support/lives.js"
import { liveThrough } from "../support/liveThrough.js"
import { outcomeOf } from "../support/referenceRules.js"
import { UploadStores } from "../support/uploads.js"

const LIVES = 120

/**
 * Compares a random scenario (`lives.ts`) in the programs with the reference implementation, and fails when they
 * differ. Returns the number of firings in the scenario.
 */
const agreed = (seed: number) =>
  Effect.gen(function* () {
    const life = lifeOf(seed)
    const lived = yield* liveThrough(life)
    // For a rule that is disabled at the end, `lived` has only the firings, so `toMatchObject` compares only these.
    expect({ seed, lived: outcomeOf(life, { takesLate: true }) }).toMatchObject({ seed, lived })
    return lived.flatMap(({ firings }) => firings).length
  })

describe("lives lived through the programs, in memory", () => {
  it.effect("every rule fires when the second writing of Spec §4.6 says so, and ends in the same state [M14]", () =>
    Effect.gen(function* () {
      let fired = 0
      const first = firstLife(LIVES)
      for (let seed = first + 1; seed <= first + LIVES; seed++) fired += yield* agreed(seed)
      expect(fired).toBeGreaterThan(LIVES / 3)
    }).pipe(Effect.provide(UploadStores))
  )

  // In this scenario, the phone sends readings that are up to 12 hours in the future. In the same millisecond it sends
  // readings that are 2 and 3 minutes in the future.
  it.effect("an upload contradicts no readings that arrived in the same millisecond [fixes-4, L4]", () =>
    Effect.asVoid(agreed(2_826_370_504)).pipe(Effect.provide(UploadStores))
  )

  it.effect("a contradicted reading keeps what arrived before it from firing a rule [fixes-4]", () =>
    Effect.asVoid(agreed(281_003_619)).pipe(Effect.provide(UploadStores))
  )
})
