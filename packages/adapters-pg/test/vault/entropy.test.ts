import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { NodeEntropy } from "@place-access/adapters-pg"

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
    const [one, other] = [NodeEntropy.make(), NodeEntropy.make()]
    const given = Array.from({ length: 3_000 }, (_, index) => bytes(index % 2 === 0 ? one : other, 15 + (index % 3)))
    expect(new Set(given.map((text) => text.slice(0, 16))).size).toBe(given.length)
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
