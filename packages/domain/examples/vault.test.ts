import { randomBytes } from "node:crypto"
import { Vault } from "@place-access/domain/shared"
import { vaultContract } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as OwnVault from "./vault.js"

const key = (id: string): OwnVault.MasterKey => ({ id, bytes: randomBytes(32) })
const [k1, k2] = [key("k1"), key("k2")]

describe("Vault on node:crypto", () => {
  for (const { name, run } of vaultContract) {
    it(name, () => Effect.runPromise(Effect.provide(run, OwnVault.layer([k1]))))
  }

  it.each([
    ["an id with a dot, which separates the parts of a sealed value", [key("2026.01")], "the id of key 1"],
    ["an id with a zero byte, which ends the id before sealed bytes", [key("a\0b")], "the id of key 1"],
    ["an empty id", [key("")], "the id of key 1"],
    ["an id that is used twice", [k1, key("k1")], "key 2 has the id of another key"],
    ["a key that is too short", [k1, { id: "k2", bytes: randomBytes(31) }], "key 2 must have 32 bytes"]
  ] as const)("%s is refused before anything is sealed", (_, keys, message) => {
    expect(() => OwnVault.layer(keys)).toThrow(message)
  })

  it("a new key in front of the old one seals, and the old one still unseals", () => {
    const under = (...keys: Parameters<typeof OwnVault.layer>) => Effect.provide(Vault.Vault, OwnVault.layer(...keys))
    return Effect.gen(function* () {
      const [before, after, later] = [yield* under([k1]), yield* under([k2, k1]), yield* under([k2])]
      const old = yield* before.seal("secret", "row 1")
      expect(yield* after.unseal(old, "row 1")).toBe("secret")
      expect(yield* later.unseal(yield* after.seal("secret", "row 1"), "row 1")).toBe("secret")
      expect((yield* Effect.flip(later.unseal(old, "row 1")))._tag).toBe("VaultError")
    }).pipe(Effect.runPromise)
  })
})
