import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual
} from "node:crypto"
import { Vault } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"

/** 32 random bytes, stored apart from the database. */
export interface MasterKey {
  /** 1 to 32 letters, digits, hyphens and underscores. Every sealed value names its key by this id. */
  readonly id: string
  readonly bytes: Uint8Array
}

/**
 * `keys` begins with the newest key. This key seals, and all keys unseal, so a key can be replaced. Throws when a key
 * cannot be used: what such a key seals might never be unsealed.
 */
export const layer = (keys: readonly [MasterKey, ...ReadonlyArray<MasterKey>]): Layer.Layer<Vault.Vault> => {
  for (const [index, { bytes, id }] of keys.entries()) {
    if (!/^[\w-]{1,32}$/.test(id))
      throw new Error(`the id of key ${index + 1} must be 1 to 32 of A-Z, a-z, 0-9, _ and -`)
    if (bytes.length !== 32) throw new Error(`key ${index + 1} must have 32 bytes`)
    if (keys[index] !== keys.find((key) => key.id === id)) throw new Error(`key ${index + 1} has the id of another key`)
  }
  return Layer.succeed(Vault.Vault, make(keys))
}

const make = (keys: readonly [MasterKey, ...ReadonlyArray<MasterKey>]): typeof Vault.Vault.Service => {
  /** No master key is used directly: every use has a derived key. */
  const keyFor = (use: Vault.KeyUse | "seal", id: string): Buffer => {
    const master = keys.find((key) => key.id === id)
    if (master === undefined) throw new Error(`there is no key "${id}"`)
    return Buffer.from(hkdfSync("sha256", master.bytes, "", `my-service ${use}`, 32))
  }
  const [newest] = keys
  const about = (keyId: string, context: string) => Buffer.from(`v1.${keyId}.${context}`)

  const encrypt = (plain: Uint8Array, context: string): Buffer => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", keyFor("seal", newest.id), nonce).setAAD(about(newest.id, context))
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  const decrypt = (keyId: string, body: Buffer, context: string): Buffer => {
    if (body.length < 28) throw new Error("this is not a sealed value")
    const decipher = createDecipheriv("aes-256-gcm", keyFor("seal", keyId), body.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(about(keyId, context)).setAuthTag(body.subarray(-16))
    return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()])
  }

  const seal = (plaintext: string, context: string): Vault.Sealed =>
    Vault.Sealed.make(`v1.${newest.id}.${encrypt(Buffer.from(plaintext), context).toString("base64url")}`)

  const unseal = (sealed: Vault.Sealed, context: string): string => {
    const [format, keyId = "", text = "", ...rest] = sealed.split(".")
    if (format !== "v1" || rest.length > 0) throw new Error("this is not a sealed value")
    return decrypt(keyId, Buffer.from(text, "base64url"), context).toString("utf8")
  }

  /** Seals bytes, such as a piece of an archive. The result: the key's id as text, a zero byte, the encrypted bytes. */
  const sealBytes = (plain: Uint8Array, context: string): Uint8Array =>
    Buffer.concat([Buffer.from(`${newest.id}\0`), encrypt(plain, `bytes ${context}`)])

  const unsealBytes = (sealed: Uint8Array, context: string): Uint8Array => {
    const all = Buffer.from(sealed)
    const end = all.indexOf(0)
    return decrypt(all.toString("utf8", 0, end), all.subarray(end + 1), `bytes ${context}`)
  }

  const attempt = <A>(work: () => A): Effect.Effect<A, Vault.VaultError> =>
    Effect.try({ try: work, catch: (error) => new Vault.VaultError({ reason: String(error) }) })

  return {
    sha256: (text) => Vault.Hash.make(createHash("sha256").update(text, "utf8").digest("hex")),
    equal: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a, "utf16le"), Buffer.from(b, "utf16le")),
    s256: (text) => createHash("sha256").update(text, "utf8").digest("base64url"),
    currentKey: Vault.KeyId.make(newest.id),
    keys: keys.map(({ id }) => Vault.KeyId.make(id)),
    derive: (use, keyId, text) =>
      attempt(() => createHmac("sha256", keyFor(use, keyId)).update(text, "utf8").digest("base64url")),
    seal: (plaintext, context) => Effect.sync(() => seal(plaintext, context)),
    unseal: (sealed, context) => attempt(() => unseal(sealed, context)),
    sealBytes: (plain, context) => Effect.sync(() => sealBytes(plain, context)),
    unsealBytes: (sealed, context) => attempt(() => unsealBytes(sealed, context))
  }
}
