import { Argon2PasswordHasher, NodeEntropy, NodeVault } from "@place-access/adapters-pg"
import { Account, PasswordHasher } from "@place-access/domain/accounts"
import { Entropy, Vault } from "@place-access/domain/shared"
import { vaultContract } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { vi } from "vitest"
import { Effect, Either, FastCheck as fc, Redacted } from "effect"
import { createHash } from "node:crypto"

const text = (id: string) => Redacted.value(NodeVault.generateKey(id))
const [k1, k2] = [text("k1"), text("k2")]
const open = (keys: string) =>
  Vault.Vault.pipe(Effect.provide(NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(keys)))))

describe("NodeVault", () => {
  for (const { name, run } of vaultContract) {
    it.effect(name, () => run.pipe(Effect.provide(NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(k1))))))
  }

  it.effect.prop(
    "what was sealed unseals again, whatever it holds",
    { plaintext: fc.fullUnicodeString({ maxLength: 100 }), context: fc.string() },
    ({ plaintext, context }) =>
      Effect.gen(function* () {
        const vault = yield* open(k1)
        expect(yield* vault.unseal(yield* vault.seal(plaintext, context), context)).toBe(plaintext)
      })
  )

  it.effect("sealing twice gives two texts: equal secrets do not show", () =>
    Effect.gen(function* () {
      const vault = yield* open(k1)
      expect(yield* vault.seal("secret", "ep_1")).not.toBe(yield* vault.seal("secret", "ep_1"))
    })
  )

  it.effect("a sealed value moved to another row does not unseal", () =>
    Effect.gen(function* () {
      const vault = yield* open(k1)
      const sealed = yield* vault.seal("secret", "ep_1")
      expect((yield* Effect.flip(vault.unseal(sealed, "ep_2")))._tag).toBe("VaultError")
    })
  )

  it.effect("a sealed value with any bit changed does not unseal", () =>
    Effect.gen(function* () {
      const vault = yield* open(k1)
      const [format, kid, body = ""] = (yield* vault.seal("secret", "ep_1")).split(".")
      const bytes = Buffer.from(body, "base64url")
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3]! ^= 1 << (bit & 7)
        const sealed = Vault.Sealed.make(`${format}.${kid}.${changed.toString("base64url")}`)
        expect((yield* Effect.flip(vault.unseal(sealed, "ep_1")))._tag).toBe("VaultError")
      }
    })
  )

  it.effect("what is no sealed value is refused without a throw", () =>
    Effect.gen(function* () {
      const vault = yield* open(k1)
      for (const rubbish of ["", ".", "v1.k1.", "v1.k1.AAAA", "v2.k1.AAAA", "v1.k9.AAAA", "v1.k1.a.b", "secret"]) {
        expect((yield* Effect.flip(vault.unseal(Vault.Sealed.make(rubbish), "")))._tag).toBe("VaultError")
      }
    })
  )

  it.effect(
    "after a rotation new values use the new key and old ones still unseal, until the old key is taken away",
    () =>
      Effect.gen(function* () {
        const [before, after, later] = yield* Effect.all([open(k1), open(`${k2},${k1}`), open(k2)])
        const old = yield* before.seal("secret", "ep_1")
        expect(yield* after.unseal(old, "ep_1")).toBe("secret")
        expect(after.currentKey).toBe("k2")
        expect(after.keys).toEqual(["k2", "k1"])
        const fresh = yield* after.seal("secret", "ep_1")
        expect(yield* later.unseal(fresh, "ep_1")).toBe("secret")
        expect((yield* Effect.flip(later.unseal(old, "ep_1"))).reason).toContain("k1")
        expect(yield* after.derive("refresh-token", before.currentKey, "x")).toBe(
          yield* before.derive("refresh-token", before.currentKey, "x")
        )
        expect((yield* Effect.flip(later.derive("refresh-token", before.currentKey, "x")))._tag).toBe("VaultError")
      })
  )

  it.effect("two uses of one key share no key material", () =>
    Effect.gen(function* () {
      const vault = yield* open(k1)
      const uses: ReadonlyArray<Vault.KeyUse> = ["refresh-token", "authorization-code", "form-token", "cursor"]
      const derived = yield* Effect.forEach(uses, (use) => vault.derive(use, vault.currentKey, "x"))
      expect(new Set(derived).size).toBe(uses.length)
      for (const value of derived) expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/)
    })
  )

  it.effect("sha256 and s256 are SHA-256 in hex and base64url", () =>
    Effect.gen(function* () {
      const vault = yield* open(k1)
      expect(vault.sha256("ü")).toBe(createHash("sha256").update("ü", "utf8").digest("hex"))
      expect(vault.s256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
      )
    })
  )

  it.effect("equal tells texts apart, of other lengths too", () =>
    Effect.gen(function* () {
      const { equal } = yield* open(k1)
      expect(equal("", "")).toBe(true)
      expect(equal("token", "token")).toBe(true)
      expect(equal("token", "tokem")).toBe(false)
      expect(equal("token", "tokens")).toBe(false)
      expect(equal("é", "e")).toBe(false)
    })
  )
})

describe("SECRET_KEYS", () => {
  const why = (keys: string) => Either.getOrThrow(Either.flip(NodeVault.parseKeys(keys)))

  it("accepts several keys, newest first, in either base64 alphabet, with spaces around the commas", () => {
    const bytes = Buffer.alloc(32, 0xfb)
    const keys = Either.getOrThrow(
      NodeVault.parseKeys(`new:${bytes.toString("base64")} , old-1:${bytes.toString("base64url")}`)
    )
    expect(keys.map(({ id }) => id)).toEqual(["new", "old-1"])
    for (const key of keys) expect(Redacted.value(key.bytes)).toEqual(bytes)
  })

  it("says what is wrong and never repeats a key", () => {
    const short = Buffer.alloc(31, 7).toString("base64")
    expect(why("")).toContain("kid:base64key")
    expect(why(short)).toContain("key 1 must be kid:base64key")
    expect(why(`a.b:${short}`)).toContain("kid is 1 to 32 of")
    expect(why(`k1:${short}`)).toContain('"k1" must be 32 bytes in base64')
    expect(why(`${k1},`)).toContain("key 2")
    expect(why(`${k1},${k1}`)).toContain('"k1" is used twice')
    expect(why(`k1:${"!".repeat(44)}`)).toContain("base64")
    for (const text of [short, `k1:${short}`, `k:1:${short}`]) expect(why(text)).not.toContain(short)
  })

  it("a key does not show in a log", () => {
    expect(JSON.stringify(Either.getOrThrow(NodeVault.parseKeys(k1)))).not.toContain(k1.slice(3, 20))
    expect(String(NodeVault.generateKey("k1"))).toBe("<redacted>")
  })
})

describe("NodeEntropy", () => {
  it.effect("gives as many bytes as asked for, others each time", () =>
    Effect.gen(function* () {
      const entropy = yield* Entropy.Entropy
      expect((yield* entropy.bytes(15)).length).toBe(15)
      expect(yield* Entropy.secret).not.toBe(yield* Entropy.secret)
    }).pipe(Effect.provide(NodeEntropy.layer))
  )
})

describe("Argon2PasswordHasher", () => {
  it.effect("keeps argon2id of 19 MiB and two passes, salted", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const password = Account.Password.make("correct horse battery")
      const [first, second] = yield* Effect.all([hasher.hash(password), hasher.hash(password)], { concurrency: 2 })
      expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      expect(first).not.toBe(second)
      expect(yield* hasher.verify(first, "correct horse battery")).toBe(true)
      expect(yield* hasher.verify(first, "correct horse batterY")).toBe(false)
    }).pipe(Effect.provide(Argon2PasswordHasher.layer))
  )

  it.effect("the same characters typed composed or decomposed are the same password", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const hash = yield* hasher.hash(Account.Password.make("caf\u00e9 au lait"))
      expect(yield* hasher.verify(hash, "cafe\u0301 au lait")).toBe(true)
    }).pipe(Effect.provide(Argon2PasswordHasher.layer))
  )

  it.effect("a hash that cannot be read verifies nothing", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      for (const rubbish of ["", "x", "$argon2id$v=19$m=19456"]) expect(yield* hasher.verify(rubbish, "x")).toBe(false)
      yield* hasher.waste("x")
    }).pipe(Effect.provide(Argon2PasswordHasher.layer))
  )

  it.effect("a text longer than any password is wrong, and is never normalised [accounts-4]", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      // Normalizing turns this character into 18 others, and no other character into more than 18. So, after
      // normalizing, no password of 200 characters is longer than this one.
      const longest = "\ufdfa".repeat(200)
      const hash = yield* hasher.hash(Account.Password.make(longest))
      expect(yield* hasher.verify(hash, longest)).toBe(true)
      const seen = vi.spyOn(String.prototype, "normalize")
      const text = longest.repeat(100)
      expect([yield* hasher.verify(hash, text), yield* hasher.waste(text)]).toEqual([false, undefined])
      const lengths = seen.mock.contexts.map((one) => String(one).length)
      seen.mockRestore()
      expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(1_600)
      const composed = yield* hasher.hash(Account.Password.make("\u1f82".repeat(200)))
      expect(yield* hasher.verify(composed, "\u1f82".normalize("NFD").repeat(200))).toBe(true)
    }).pipe(Effect.provide(Argon2PasswordHasher.layer))
  )

  it.effect("knows the commonest passwords, and no others [accounts-7]", () =>
    Effect.gen(function* () {
      const isCommon = yield* (yield* PasswordHasher).common
      for (const one of ["123456", "password", "qwertyuiop", "1234567890", "dragon", "password123"]) {
        expect([one, isCommon(one)]).toEqual([one, true])
      }
      for (const one of ["correct horse battery", "purple monkey dishwasher", ""]) expect(isCommon(one)).toBe(false)
    }).pipe(Effect.provide(Argon2PasswordHasher.layer))
  )
})
