import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { runContract } from "../support/contracts.js"
import { emptyEmbedded } from "../support/embedded.js"
import { keyCanaryContract, keyCanaryOnEmpty } from "../support/keyCanaryContract.js"

runContract("KeyCanary, embedded", keyCanaryContract, Layer.empty)

describe("KeyCanary, embedded and empty", () => {
  for (const { name, run } of keyCanaryOnEmpty) it.effect(name, () => run.pipe(Effect.provide(emptyEmbedded)))
})
