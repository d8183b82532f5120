import { Entropy } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"

/** The operating system's random bytes. */
export const layer: Layer.Layer<Entropy.Entropy> = Layer.succeed(Entropy.Entropy, {
  bytes: (length) => Effect.sync(() => randomBytes(length))
})
