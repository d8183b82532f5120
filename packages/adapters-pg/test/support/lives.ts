import { MemoryWorkSignal } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { lifeOf } from "../../../domain/test/support/lives.js"
import { liveThrough } from "../../../domain/test/support/liveThrough.js"
import { outcomeOf } from "../../../domain/test/support/referenceRules.js"
import type { Database } from "@place-access/adapters-pg"
import { withStores } from "./contracts.js"
import { UploadStores } from "./uploadStores.js"

/**
 * Runs the random scenarios of rules with the seeds `from` to `to` on a database. The domain's tests run the same kind
 * of scenarios on stores in memory.
 */
export const livesOn = (database: Layer.Layer<Database>, from: number, to: number): void => {
  const run = withStores(database, Layer.merge(UploadStores, MemoryWorkSignal.layer))

  it("every rule fires when the second writing of Spec §4.6 says so, and ends in the same state [rules-11]", () =>
    run(
      Effect.gen(function* () {
        let fired = 0
        for (let seed = from; seed <= to; seed++) {
          const life = lifeOf(seed)
          const lived = yield* liveThrough(life)
          // `lived` has only the parts of a rule's state that can be read at the end, so the comparison leaves the
          // other parts out.
          expect({ seed, lived: outcomeOf(life, { takesLate: true }) }).toMatchObject({ seed, lived })
          fired += lived.flatMap(({ firings }) => firings).length
        }
        expect(fired).toBeGreaterThan((to - from) / 3)
      })
    ))
}
