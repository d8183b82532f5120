import { Entropy } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"
import { randomBytes, randomFillSync } from "node:crypto"

/**
 * How many bytes one call takes from Node's generator of random bytes. A call for sixteen bytes costs as much as a
 * call for a few thousand.
 */
const SUPPLY = 4_096

/**
 * Random bytes from Node's `crypto`. Each byte of the supply is given out once and then erased from the supply. `fill`
 * fills a whole array with random bytes.
 */
export const make = (fill: (supply: Uint8Array) => void = randomFillSync): Entropy.Entropy["Type"] => {
  const supply = new Uint8Array(SUPPLY)
  let used = SUPPLY
  return {
    bytes: (length) =>
      Effect.sync(() => {
        if (length > SUPPLY) return randomBytes(length)
        if (used + length > SUPPLY) {
          fill(supply)
          used = 0
        }
        const given = supply.slice(used, used + length)
        supply.fill(0, used, used + length)
        used += length
        return given
      })
  }
}

export const layer: Layer.Layer<Entropy.Entropy> = Layer.sync(Entropy.Entropy, () => make())
