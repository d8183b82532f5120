import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { emptyEmbedded } from "../support/embedded.js"
import { keyCanaryOnEmpty } from "../support/keyCanaryContract.js"

describe("KeyCanary, embedded and empty", () => {
  for (const { name, run } of keyCanaryOnEmpty) it.effect(name, () => run.pipe(Effect.provide(emptyEmbedded)))
})
