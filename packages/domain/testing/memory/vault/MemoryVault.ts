import { Effect, Either, Encoding, Layer } from "effect"
import { Hash, KeyId, Sealed, Vault, VaultError } from "../../../src/shared/Vault.js"
import { hmacSha256, sha256 } from "./Sha256.js"
import * as Utf8 from "./Utf8.js"

/**
 * A vault for tests. Its digests are real, but each key follows from the key's id, so anybody can decrypt its values.
 * Unlike a production vault, this vault always encrypts the same input to the same output, so that a simulation can be
 * repeated. The vault refuses an encrypted value that was changed. `keyIds` has the newest key first.
 */
export const make = (keyIds: readonly [string, ...ReadonlyArray<string>]): typeof Vault.Service => {
  const hmac = (use: string, keyId: string, text: string): Either.Either<Uint8Array, VaultError> =>
    keyIds.includes(keyId)
      ? Either.right(hmacSha256(Utf8.encode(`${keyId} ${use}`), Utf8.encode(text)))
      : Either.left(new VaultError({ reason: `there is no key "${keyId}"` }))

  const tag = (keyId: string, plaintext: string, context: string) =>
    Either.map(hmac("seal tag", keyId, JSON.stringify([plaintext, context])), Encoding.encodeBase64Url)

  /**
   * Encrypts bytes, or decrypts encrypted bytes, by XOR with a key stream. `nonce` is the tag of the plaintext and its
   * context.
   */
  const scramble = (keyId: string, nonce: string, bytes: Uint8Array): Either.Either<Uint8Array, VaultError> =>
    Either.gen(function* () {
      const out = Uint8Array.from(bytes)
      for (let at = 0; at < out.length; at += 32) {
        const pad = yield* hmac("seal pad", keyId, `${nonce} ${at}`)
        pad.forEach((byte, index) => {
          if (at + index < out.length) out[at + index] = (out[at + index] ?? 0) ^ byte
        })
      }
      return out
    })

  const seal = (plaintext: string, context: string, keyId = keyIds[0]): Either.Either<Sealed, VaultError> =>
    Either.gen(function* () {
      const nonce = yield* tag(keyId, plaintext, context)
      const body = yield* scramble(keyId, nonce, Utf8.encode(plaintext))
      return Sealed.make(`memory.${keyId}.${nonce}.${Encoding.encodeBase64Url(body)}`)
    })

  const unseal = (sealed: string, context: string): Either.Either<string, VaultError> =>
    Either.gen(function* () {
      const [format, keyId, nonce, body, ...rest] = sealed.split(".")
      if (format !== "memory" || keyId === undefined || nonce === undefined || body === undefined || rest.length > 0) {
        return yield* unreadable
      }
      const bytes = yield* Either.orElse(Encoding.decodeBase64Url(body), () => unreadable)
      const plaintext = Utf8.decode(yield* scramble(keyId, nonce, bytes))
      return nonce === (yield* tag(keyId, plaintext, context)) ? plaintext : yield* unreadable
    })

  return {
    sha256: (text) => Hash.make(Encoding.encodeHex(sha256(Utf8.encode(text)))),
    equal: (a, b) => a === b,
    s256: (text) => Encoding.encodeBase64Url(sha256(Utf8.encode(text))),
    currentKey: KeyId.make(keyIds[0]),
    keys: keyIds.map((id) => KeyId.make(id)),
    derive: (use, keyId, text) => Effect.suspend(() => Either.map(hmac(use, keyId, text), Encoding.encodeBase64Url)),
    seal: (plaintext, context) => Effect.orDie(Effect.suspend(() => seal(plaintext, context))),
    unseal: (sealed, context) => Effect.suspend(() => unseal(sealed, context)),
    sealBytes: (plain, context) =>
      Effect.orDie(
        Effect.suspend(() => Either.map(seal(Encoding.encodeBase64(plain), `bytes ${context}`), Utf8.encode))
      ),
    unsealBytes: (sealed, context) =>
      Effect.suspend(() =>
        Either.gen(function* () {
          const text = yield* readable(sealed)
          const plain = yield* unseal(text, `bytes ${context}`)
          // The last character of base64 may have unused bits. This comparison also refuses a value that differs only
          // in these bits.
          const keyId = text.split(".")[1]
          if (text !== (yield* seal(plain, `bytes ${context}`, keyId))) return yield* unreadable
          return yield* Either.mapLeft(Encoding.decodeBase64(plain), () => notSealed)
        })
      )
  }
}

const notSealed = new VaultError({ reason: "this is not a sealed value" })

const readable = (bytes: Uint8Array): Either.Either<string, VaultError> =>
  Either.try({ try: () => Utf8.decode(bytes), catch: () => notSealed })

const unreadable = Either.left(new VaultError({ reason: "the sealed value does not belong here or was changed" }))

/** A vault with the keys of these ids, newest first. */
export const layerKeys = (keyIds: readonly [string, ...ReadonlyArray<string>]): Layer.Layer<Vault> =>
  Layer.sync(Vault, () => make(keyIds))

/** A vault with one key, `k1`. */
export const layer: Layer.Layer<Vault> = layerKeys(["k1"])
