import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { firstLife, lifeOf } from "../support/lives.js"
import { liveThrough } from "../support/liveThrough.js"
import { outcomeOf } from "../support/referenceRules.js"
import { UploadStores } from "../support/uploads.js"

const LIVES = 120

describe("lives lived through the programs, in memory", () => {
  it.effect("every rule fires when the second writing of Spec §4.6 says so, and ends in the same state", () =>
    Effect.gen(function* () {
      let fired = 0
      const first = firstLife(LIVES)
      for (let seed = first + 1; seed <= first + LIVES; seed++) {
        const life = lifeOf(seed)
        const lived = yield* liveThrough(life)
        // What of a rule can't be seen at the end is not compared.
        expect({ seed, lived: outcomeOf(life, { takesLate: true }) }).toMatchObject({ seed, lived })
        fired += lived.flatMap(({ firings }) => firings).length
      }
      expect(fired).toBeGreaterThan(LIVES / 3)
    }).pipe(Effect.provide(UploadStores))
  )
})
