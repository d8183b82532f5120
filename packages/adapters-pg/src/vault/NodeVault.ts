import { Vault } from "@place-access/domain/shared"
import { Effect, Either, Layer, Redacted } from "effect"
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The first part of every sealed text. Each way of sealing has its own value. */
const FORMAT = "v1"
/**
 * The first part of sealed bytes. It is authenticated, so sealed bytes cannot be taken for a sealed text, or the
 * reverse.
 */
const BYTES_FORMAT = "b1"

/**
 * A master key. It seals nothing directly: each use has its own key, which is derived from the master key
 * (HKDF-SHA256).
 */
export interface SecretKey {
  readonly id: Vault.KeyId
  readonly bytes: Redacted.Redacted<Uint8Array>
}

/** The master keys, newest first. The first key seals new values, and each of the keys can unseal a value. */
export type SecretKeys = readonly [SecretKey, ...ReadonlyArray<SecretKey>]

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/

/**
 * Reads `SECRET_KEYS`: `kid:base64key[,kid:base64key]`, newest first, each key 32 bytes. A Left says what is wrong and
 * never repeats a key.
 */
export const parseKeys = (text: string): Either.Either<SecretKeys, string> =>
  Either.gen(function* () {
    const keys: Array<SecretKey> = []
    for (const [index, part] of text.split(",").entries()) {
      const key = yield* parseKey(part.trim(), index + 1)
      if (keys.some(({ id }) => id === key.id)) return yield* Either.left(`the key id "${key.id}" is used twice`)
      keys.push(key)
    }
    const [newest, ...older] = keys
    return newest === undefined ? yield* Either.left("there is no key") : ([newest, ...older] as const)
  })

const parseKey = (part: string, position: number): Either.Either<SecretKey, string> => {
  const colon = part.indexOf(":")
  const id = part.slice(0, colon)
  if (colon < 0 || !KEY_ID.test(id)) {
    return Either.left(`key ${position} must be kid:base64key, where kid is 1 to 32 of A-Z, a-z, 0-9, _ and -`)
  }
  const encoded = part.slice(colon + 1)
  const bytes = Buffer.from(encoded, "base64")
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded) || bytes.length !== KEY_BYTES) {
    return Either.left(`the key "${id}" must be ${KEY_BYTES} bytes in base64 (openssl rand -base64 ${KEY_BYTES})`)
  }
  return Either.right({ id: Vault.KeyId.make(id), bytes: Redacted.make(bytes) })
}

/** A new key in the format of `SECRET_KEYS`. */
export const generateKey = (id: string): Redacted.Redacted =>
  Redacted.make(`${id}:${randomBytes(KEY_BYTES).toString("base64")}`)

/** AES-256-GCM, HMAC-SHA256 and SHA-256 of Node's OpenSSL under the given keys. */
export const layer = (keys: SecretKeys): Layer.Layer<Vault.Vault> => Layer.sync(Vault.Vault, () => make(keys))

type KeyFor = (use: Vault.KeyUse | "seal", id: string) => Either.Either<Buffer, Vault.VaultError>

const make = (keys: SecretKeys): typeof Vault.Vault.Service => {
  const keyFor = keysByUse(keys)
  const [newest] = keys
  return {
    sha256: (text) => Vault.Hash.make(hash("sha256", text, "hex"), true),
    equal: (a, b) => {
      const [left, right] = [Buffer.from(a, "utf8"), Buffer.from(b, "utf8")]
      return left.length === right.length && timingSafeEqual(left, right)
    },
    s256: (text) => hash("sha256", text, "base64url"),
    currentKey: newest.id,
    keys: keys.map(({ id }) => id),
    derive: (use, keyId, text) =>
      Effect.suspend(() =>
        Either.map(keyFor(use, keyId), (key) => createHmac("sha256", key).update(text, "utf8").digest("base64url"))
      ),
    // The newest key is always in the list, so sealing cannot fail.
    seal: (plaintext, context) => Effect.orDie(Effect.suspend(() => seal(keyFor, newest.id, plaintext, context))),
    unseal: (sealed, context) => Effect.suspend(() => unseal(keyFor, sealed, context)),
    sealBytes: (plain, context) => Effect.orDie(Effect.suspend(() => sealBytes(keyFor, newest.id, plain, context))),
    unsealBytes: (sealed, context) => Effect.suspend(() => unsealBytes(keyFor, sealed, context))
  }
}

/** Derives the key of each use from a master key when it is first needed, and caches it. */
const keysByUse = (keys: SecretKeys): KeyFor => {
  const masters = new Map<string, Uint8Array>(keys.map(({ id, bytes }) => [id, Redacted.value(bytes)]))
  const derived = new Map<string, Buffer>()
  return (use, id) => {
    const name = `${use} ${id}`
    const known = derived.get(name)
    if (known !== undefined) return Either.right(known)
    const master = masters.get(id)
    if (master === undefined) return Either.left(new Vault.VaultError({ reason: `there is no key "${id}"` }))
    const key = Buffer.from(hkdfSync("sha256", master, "", `place-access ${use}`, KEY_BYTES))
    derived.set(name, key)
    return Either.right(key)
  }
}

const authenticated = (format: string, keyId: string, context: string) =>
  Buffer.from(`${format}.${keyId}.${context}`, "utf8")

/** Returns the nonce, the ciphertext and the tag in one buffer. */
const encrypt = (key: Buffer, about: Buffer, plain: Uint8Array): Buffer => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(about)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

const decrypt = (key: Buffer, about: Buffer, body: Uint8Array): Either.Either<Buffer, Vault.VaultError> =>
  body.length < NONCE_BYTES + TAG_BYTES
    ? unreadable
    : Either.try({
        try: () => {
          const nonce = body.subarray(0, NONCE_BYTES)
          const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
          decipher.setAAD(about)
          decipher.setAuthTag(body.subarray(-TAG_BYTES))
          return Buffer.concat([decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
        },
        catch: () => new Vault.VaultError({ reason: "the sealed value does not belong here or was changed" })
      })

const seal = (
  keyFor: KeyFor,
  keyId: string,
  plaintext: string,
  context: string
): Either.Either<Vault.Sealed, Vault.VaultError> =>
  Either.map(keyFor("seal", keyId), (key) => {
    const body = encrypt(key, authenticated(FORMAT, keyId, context), Buffer.from(plaintext, "utf8"))
    return Vault.Sealed.make(`${FORMAT}.${keyId}.${body.toString("base64url")}`)
  })

const unseal = (keyFor: KeyFor, sealed: string, context: string): Either.Either<string, Vault.VaultError> =>
  Either.gen(function* () {
    const [format, keyId, text, ...rest] = sealed.split(".")
    if (format !== FORMAT || keyId === undefined || text === undefined || rest.length > 0) return yield* unreadable
    const key = yield* keyFor("seal", keyId)
    const plain = yield* decrypt(key, authenticated(FORMAT, keyId, context), Buffer.from(text, "base64url"))
    return plain.toString("utf8")
  })

const sealBytes = (
  keyFor: KeyFor,
  keyId: string,
  plain: Uint8Array,
  context: string
): Either.Either<Uint8Array, Vault.VaultError> =>
  Either.map(keyFor("seal", keyId), (key) =>
    Buffer.concat([
      Buffer.from(`${BYTES_FORMAT}.${keyId}.`),
      encrypt(key, authenticated(BYTES_FORMAT, keyId, context), plain)
    ])
  )

/** The most bytes before the second dot: the format and the key's id. */
const MAX_HEAD_BYTES = 40

const unsealBytes = (
  keyFor: KeyFor,
  sealed: Uint8Array,
  context: string
): Either.Either<Uint8Array, Vault.VaultError> =>
  Either.gen(function* () {
    const [format, keyId, rest] = Buffer.from(sealed.subarray(0, MAX_HEAD_BYTES)).toString("latin1").split(".", 3)
    if (format !== BYTES_FORMAT || keyId === undefined || rest === undefined) return yield* unreadable
    const key = yield* keyFor("seal", keyId)
    const body = sealed.subarray(format.length + keyId.length + 2)
    return yield* decrypt(key, authenticated(BYTES_FORMAT, keyId, context), body)
  })

const unreadable = Either.left(new Vault.VaultError({ reason: "this is not a sealed value" }))
