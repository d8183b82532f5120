import { Effect } from "effect"
import { randomFillSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { NodeEntropy } from "@place-access/adapters-pg"

/** A supply of random bytes: the buffer that contains it, and a copy of the buffer's first content. */
interface Supply {
  readonly kept: Uint8Array
  readonly taken: string
}

/** An entropy source that records every supply in `supplies`. */
const noting = (supplies: Array<Supply>) =>
  NodeEntropy.make((kept) => {
    randomFillSync(kept)
    supplies.push({ kept, taken: Buffer.from(kept).toString("hex") })
  })

const bytes = (entropy: ReturnType<typeof NodeEntropy.make>, length: number) =>
  Buffer.from(Effect.runSync(entropy.bytes(length))).toString("hex")

describe("the operating system's random bytes", () => {
  it("as many as were asked for, also more than are taken from it at a time", () => {
    const entropy = NodeEntropy.make()
    for (const length of [0, 1, 15, 32, 4_095, 4_096, 4_097, 32]) {
      expect(bytes(entropy, length)).toHaveLength(2 * length)
    }
  })

  it("none is given twice, across many supplies and from two of them", () => {
    const taken: Array<Supply> = []
    const [one, other] = [noting(taken), noting(taken)]
    const given = Array.from({ length: 3_000 }, (_, index) => bytes(index % 2 === 0 ? one : other, 15 + (index % 3)))
    expect(new Set(given.map((text) => text.slice(0, 16))).size).toBe(given.length)
    expect(new Set(taken.map((supply) => supply.taken)).size).toBe(taken.length)
    const [ofOne, ofOther] = taken.map(({ kept }) => kept)
    expect(ofOne).not.toBe(ofOther)
    for (const [kept, parity] of [
      [ofOne, 0],
      [ofOther, 1]
    ] as const) {
      // An entropy source must hand out its bytes in order, and no byte twice. So each result must be in the supply of
      // its source, after the previous result.
      const own = taken.filter((supply) => supply.kept === kept).map((supply) => supply.taken)
      let [supply, end] = [0, 0]
      for (const text of given.filter((_, index) => index % 2 === parity)) {
        if (!own[supply]?.includes(text, end)) [supply, end] = [supply + 1, 0]
        const start = own[supply]?.indexOf(text, end) ?? -1
        expect(start).toBeGreaterThanOrEqual(end)
        end = start + text.length
      }
    }
  })

  it("none is kept that was given: the rest stays as it was taken", () => {
    const supplies: Array<Supply> = []
    const entropy = noting(supplies)
    let used = 0
    for (const length of [1, 32, 4_063]) {
      bytes(entropy, length)
      used += length
      const { kept, taken } = supplies.at(-1)!
      expect(Buffer.from(kept).toString("hex")).toBe("00".repeat(used) + taken.slice(2 * used))
    }
  })

  it("what was given stays what it was", () => {
    const entropy = NodeEntropy.make()
    const kept = Effect.runSync(entropy.bytes(16))
    const before = Buffer.from(kept).toString("hex")
    for (let count = 0; count < 1_000; count++) bytes(entropy, 32)
    expect(Buffer.from(kept).toString("hex")).toBe(before)
    expect(before).not.toBe("00".repeat(16))
  })
})
