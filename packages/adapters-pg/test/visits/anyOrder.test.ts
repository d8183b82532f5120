import { MemoryWorkSignal } from "@place-access/domain/testing"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { visitLifeOf } from "../../../domain/test/support/visitLives.js"
import { replayVisits } from "../../../domain/test/support/visitReplay.js"
import { migratedEmbedded } from "../support/embedded.js"
import { withStores } from "../support/contracts.js"
import { VisitStores } from "../support/visitStores.js"

/** Lives that told a wrong store from a right one before; `packages/domain/test/visits/anyOrder.test.ts` has more of them. */
const SEEDS = [5, 41, 58]

describe("visits of the embedded database", () => {
  const run = withStores(migratedEmbedded, Layer.merge(VisitStores, MemoryWorkSignal.layer))

  it("any chunking and order of the same uploads gives the same visits", async () => {
    for (const seed of SEEDS) {
      for (const uploads of [seed, -seed]) {
        const name = `${seed}_${uploads}`
        const { expected, told } = await run(replayVisits(visitLifeOf(seed, uploads), name, 1 + (seed % 7)))
        expect({ name, told }).toEqual({ name, told: expected })
      }
    }
  })
})
