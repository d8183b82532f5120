import { Effect, Either } from "effect"
import { KeyId, type KeyUse, Sealed, Vault } from "../../src/shared/Vault.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"

const USES: ReadonlyArray<KeyUse> = [
  "device-setup",
  "refresh-token",
  "authorization-code",
  "form-token",
  "cursor",
  "listener-secret",
  "known-browser",
  "pending-sign-in",
  "session-cookie"
]

const refused = (sealed: string, context: string, what: string) =>
  Effect.gen(function* () {
    const result = yield* Effect.either((yield* Vault).unseal(Sealed.make(sealed), context))
    Check.isTrue(Either.isLeft(result) && result.left._tag === "VaultError", what)
  })

/**
 * What every `Vault` must guarantee. Two further guarantees hold only for a production vault, so no case checks them:
 * encrypting a text twice gives different results, and nobody can guess the keys.
 */
export const vaultContract: Contract<Vault> = [
  {
    name: "seal: what was sealed unseals again, whatever it holds",
    run: Effect.gen(function* () {
      const vault = yield* Vault
      for (const text of ["", "secret", 'ü 🏡 \u0000 \\ "', "x".repeat(10_000)]) {
        Check.equal(yield* vault.unseal(yield* vault.seal(text, "of a row"), "of a row"), text, "unsealed")
      }
    })
  },
  {
    name: "seal: the text does not show",
    run: Effect.gen(function* () {
      const sealed = yield* (yield* Vault).seal("correct horse battery", "")
      Check.isTrue(!sealed.includes("correct") && !sealed.includes("horse"), "sealed")
    })
  },
  {
    name: "unseal: moved to another context, or changed anywhere, a value does not unseal",
    run: Effect.gen(function* () {
      const sealed = yield* (yield* Vault).seal("secret", "row 1")
      yield* refused(sealed, "row 2", "another context")
      for (let index = 0; index < sealed.length; index++) {
        // The last character of base64 may have unused bits, so a sealed value with another last character may decode
        // to the same bytes.
        if (index === sealed.length - 1) continue
        const other = sealed[index] === "A" ? "B" : "A"
        yield* refused(sealed.slice(0, index) + other + sealed.slice(index + 1), "row 1", `character ${index} changed`)
      }
    })
  },
  {
    name: "unseal: what is no sealed value is refused, and nothing is thrown",
    run: Effect.gen(function* () {
      const { currentKey } = yield* Vault
      for (const text of ["", ".", "secret", `v1.${currentKey}.`, `v1.${currentKey}.AAAA`, "a.b.c.d.e", "ü"]) {
        yield* refused(text, "", JSON.stringify(text))
      }
    })
  },
  {
    name: "sealBytes: any bytes unseal again, for their context only; a change, a text and the other form are refused",
    run: Effect.gen(function* () {
      const vault = yield* Vault
      const unsealed = (sealed: Uint8Array, context: string) => Effect.either(vault.unsealBytes(sealed, context))
      for (const length of [0, 1, 255, 70_000]) {
        const plain = Uint8Array.from({ length }, (_, index) => (index * 7) % 256)
        const sealed = yield* vault.sealBytes(plain, "piece 1")
        Check.equal(Array.from(yield* vault.unsealBytes(sealed, "piece 1")), Array.from(plain), `${length} bytes`)
        Check.isTrue(Either.isLeft(yield* unsealed(sealed, "piece 2")), "another context")
      }
      const sealed = yield* vault.sealBytes(Uint8Array.of(1, 2, 3), "row")
      for (let index = 0; index < sealed.length; index++) {
        const changed = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 2 : byte))
        Check.isTrue(Either.isLeft(yield* unsealed(changed, "row")), `byte ${index} changed`)
        Check.isTrue(Either.isLeft(yield* unsealed(sealed.subarray(0, index), "row")), `cut to ${index}`)
      }
      const text = yield* vault.seal("AQID", "row")
      const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
      Check.isTrue(Either.isLeft(yield* unsealed(bytes, "row")), "a sealed text")
    })
  },
  {
    name: "derive: 43 characters of base64url, the same again; another text or use gives another value",
    run: Effect.gen(function* () {
      const vault = yield* Vault
      const derive = (use: KeyUse, text: string) => vault.derive(use, vault.currentKey, text)
      const values: Array<string> = []
      for (const use of USES) {
        for (const text of ["", "x", "y"]) {
          const value = yield* derive(use, text)
          Check.isTrue(/^[A-Za-z0-9_-]{43}$/.test(value), "the form")
          Check.equal(yield* derive(use, text), value, "again")
          values.push(value)
        }
      }
      Check.equal(new Set(values).size, values.length, "different values")
    })
  },
  {
    name: "derive: a key that is not there is refused",
    run: Effect.gen(function* () {
      const result = yield* Effect.either((yield* Vault).derive("cursor", KeyId.make("no-such-key"), "x"))
      Check.isTrue(Either.isLeft(result), "refused")
    })
  },
  {
    name: "keys: the current one is the first, and none is there twice",
    run: Effect.gen(function* () {
      const { currentKey, keys } = yield* Vault
      Check.equal(keys[0], currentKey, "the first")
      Check.equal(new Set(keys).size, keys.length, "keys")
    })
  },
  {
    name: "sha256 and s256 are SHA-256 of the UTF-8 text, in hex and in base64url",
    run: Effect.gen(function* () {
      const vault = yield* Vault
      const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      Check.equal<string>(vault.sha256("abc"), abc, "sha256")
      Check.equal<string>(
        vault.sha256("ü"),
        "607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f",
        "of a text that is not ASCII"
      )
      const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
      Check.equal(vault.s256(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "s256 (RFC 7636, appendix B)")
    })
  },
  {
    name: "equal: tells texts apart, of other lengths too",
    run: Effect.gen(function* () {
      const { equal } = yield* Vault
      const pairs = [
        ["", ""],
        ["token", "token"],
        ["token", "tokem"],
        ["token", "tokens"],
        ["é", "e"]
      ] as const
      Check.equal(
        pairs.map(([a, b]) => equal(a, b)),
        [true, true, false, false, false],
        "equal"
      )
    })
  }
]
