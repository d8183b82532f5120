import type { Entropy } from "@place-access/domain/shared"
import { VirtualTime } from "@place-access/domain/testing"
import { Effect } from "effect"
import { createHash } from "node:crypto"

/** How many draws each stream has given. A stream's name is its process and its purpose, such as `world evt`. */
type Draws = Readonly<Record<string, number>>

/**
 * Bytes that follow from a seed, for a test world only: anybody who knows the seed can compute every token.
 *
 * The server and the worker's loops draw from separate streams, and each of them has a stream for each purpose. So the
 * loops do not change which ids the next request gets. The ids also do not depend on how often somebody calls `/readyz`
 * (each request draws a `req_…`), or how often the worker looks for deliveries (each claim draws an `lse_…`).
 */
export interface SeededEntropy {
  readonly entropy: Entropy.Entropy["Type"]
  readonly draws: () => Draws
  /** Continues each random stream after this number of draws. */
  readonly resume: (draws: Draws) => void
}

const block = (seed: string, stream: string, draw: number, index: number): Buffer =>
  createHash("sha256").update(`${seed}\n${stream}\n${draw}\n${index}`).digest()

/** Makes the random source. `seed` must differ for each start on a folder, because otherwise ids would repeat. */
export const make = (seed: string): SeededEntropy => {
  let drawn = new Map<string, number>()
  return {
    entropy: {
      bytes: (length, purpose = "bytes") =>
        Effect.withFiberRuntime((fiber) => {
          const stream = `${fiber.getFiberRef(VirtualTime.Process.current).name} ${purpose}`
          const draw = drawn.get(stream) ?? 0
          drawn.set(stream, draw + 1)
          const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) => block(seed, stream, draw, index))
          return Effect.succeed(new Uint8Array(Buffer.concat(blocks).subarray(0, length)))
        })
    },
    draws: () => Object.fromEntries(drawn),
    resume: (draws) => {
      drawn = new Map(Object.entries(draws))
    }
  }
}
