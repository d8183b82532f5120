import { Effect, Layer } from "effect"
import { Entropy } from "../../../src/shared/Entropy.js"

/**
 * Bytes from a seed: the same seed gives the same bytes in the same order. The generator (sfc32) is small and fast, and
 * its output can be predicted, so it is not for secrets.
 */
export const make = (seed: number): typeof Entropy.Service => {
  const next = generator(seed)
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

const generator = (seed: number): (() => number) => {
  let [a, b, c, counter] = [0x9e3779b9, seed | 0, Math.trunc(seed / 2 ** 32) | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first 12 numbers still resemble the seed, so they are dropped.
  for (let warmUp = 0; warmUp < 12; warmUp++) next()
  return next
}

/** Each build of the layer starts at the beginning of the seed's sequence. */
export const layerSeeded = (seed: number): Layer.Layer<Entropy> => Layer.sync(Entropy, () => make(seed))

/** Entropy from seed 1. Each build of the layer starts at the beginning of the sequence. */
export const layer: Layer.Layer<Entropy> = layerSeeded(1)
