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
