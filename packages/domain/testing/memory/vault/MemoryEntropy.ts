import { Effect, Layer } from "effect"
import { Entropy } from "../../../src/shared/Entropy.js"
import { sfc32 } from "../../sfc32.js"

const SALT = 0x9e3779b9

/**
 * Bytes that follow from a seed: one seed gives the same bytes in the same order. Anybody who knows the seed can
 * predict the bytes, so never use them as real secrets.
 */
export const make = (seed: number): typeof Entropy.Service => {
  const next = sfc32(seed, SALT)
  return {
    bytes: (length) =>
      Effect.sync(() => {
        const bytes = new Uint8Array(length)
        for (let at = 0; at < length; at += 4) {
          const word = next()
          for (let byte = 0; byte < 4 && at + byte < length; byte++) bytes[at + byte] = word >>> (8 * byte)
        }
        return bytes
      })
  }
}

/** Entropy from a seed. Each build of the layer starts at the beginning of the sequence. */
export const layerSeeded = (seed: number): Layer.Layer<Entropy> => Layer.sync(Entropy, () => make(seed))

/** Entropy from seed 1. Each build of the layer starts at the beginning of the sequence. */
export const layer: Layer.Layer<Entropy> = layerSeeded(1)
