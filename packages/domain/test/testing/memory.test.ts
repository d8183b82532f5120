import { PasswordHasher } from "@place-access/domain/accounts"
import { Entropy, Vault } from "@place-access/domain/shared"
import { MemoryEntropy, MemoryPasswordHasher, MemoryVault } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { createHash, createHmac } from "node:crypto"

describe("MemoryVault", () => {
  const vault = MemoryVault.make(["k2", "k1"])

  it("sha256 and s256 are SHA-256 of the UTF-8 bytes, for messages around every block edge", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.fullUnicodeString({ maxLength: 300 }),
          fc.constantFrom(0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128).map((length) => "a".repeat(length))
        ),
        (text) => {
          expect(vault.sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"))
          expect(vault.s256(text)).toBe(createHash("sha256").update(text, "utf8").digest("base64url"))
        }
      )
    )
  })

  it("s256 gives the challenge of RFC 7636 appendix B", () => {
    expect(vault.s256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
  })

  it.effect("derive is HMAC-SHA256, another for another use or key", () =>
    Effect.gen(function* () {
      const derived = yield* vault.derive("cursor", vault.currentKey, "text")
      expect(derived).toBe(createHmac("sha256", "k2 cursor").update("text").digest("base64url"))
      expect(derived).toHaveLength(43)
      expect(yield* vault.derive("form-token", vault.currentKey, "text")).not.toBe(derived)
      expect(yield* vault.derive("cursor", Vault.KeyId.make("k1"), "text")).not.toBe(derived)
    })
  )

  it.effect("what was sealed unseals in its context only, and with its key only", () =>
    Effect.gen(function* () {
      const sealed = yield* vault.seal("whsec_Ünïcode 🗝 longer than one block of thirty-two bytes", "ep_1")
      expect(sealed).not.toContain("whsec")
      expect(yield* vault.unseal(sealed, "ep_1")).toBe("whsec_Ünïcode 🗝 longer than one block of thirty-two bytes")
      expect((yield* Effect.flip(vault.unseal(sealed, "ep_2")))._tag).toBe("VaultError")
      expect((yield* Effect.flip(MemoryVault.make(["k1"]).unseal(sealed, "ep_1")))._tag).toBe("VaultError")
      const old = yield* MemoryVault.make(["k1"]).seal("old", "ep_1")
      expect(yield* vault.unseal(old, "ep_1")).toBe("old")
    })
  )
})

describe("MemoryEntropy", () => {
  const three = (seed: number) =>
    Effect.all([Entropy.id("usr"), Entropy.id("usr"), Entropy.secret]).pipe(
      Effect.provide(MemoryEntropy.layerSeeded(seed))
    )

  it.effect("the same seed gives the same ids, another seed others, and no id comes twice", () =>
    Effect.gen(function* () {
      expect(yield* three(7)).toEqual(yield* three(7))
      const ids = yield* Effect.forEach([1, 2, 3, 2 ** 32 + 1, 0.5 * 2 ** 53], three)
      expect(new Set(ids.flat()).size).toBe(15)
    })
  )
})

describe("MemoryPasswordHasher", () => {
  it.effect("verifies the password that it hashed and no other", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const hash = yield* hasher.hash("correct horse battery" as never)
      expect(yield* hasher.verify(hash, "correct horse battery")).toBe(true)
      expect(yield* hasher.verify(hash, "correct horse batterY")).toBe(false)
      expect(yield* hasher.verify("rubbish", "rubbish")).toBe(false)
    }).pipe(Effect.provide(Layer.fresh(MemoryPasswordHasher.layer)))
  )
})
