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
  readonly id: string
  readonly bytes: Uint8Array
}

/** The newest first: the first key seals and all keys unseal, so a key can be replaced. */
export const layer = (keys: readonly [MasterKey, ...ReadonlyArray<MasterKey>]): Layer.Layer<Vault.Vault> =>
  Layer.succeed(Vault.Vault, make(keys))

const make = (keys: readonly [MasterKey, ...ReadonlyArray<MasterKey>]): typeof Vault.Vault.Service => {
  /** No master key is used directly: every use has a derived key. */
  const keyFor = (use: Vault.KeyUse | "seal", id: string): Buffer => {
    const master = keys.find((key) => key.id === id)
    if (master === undefined) throw new Error(`there is no key "${id}"`)
    return Buffer.from(hkdfSync("sha256", master.bytes, "", `my-service ${use}`, 32))
  }
  const [newest] = keys
  const about = (keyId: string, context: string) => Buffer.from(`v1.${keyId}.${context}`)

  const seal = (plaintext: string, context: string): Vault.Sealed => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", keyFor("seal", newest.id), nonce).setAAD(about(newest.id, context))
    const body = Buffer.concat([nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()])
    return Vault.Sealed.make(`v1.${newest.id}.${body.toString("base64url")}`)
  }

  const unseal = (sealed: Vault.Sealed, context: string): string => {
    const [format, keyId = "", text = "", ...rest] = sealed.split(".")
    const body = Buffer.from(text, "base64url")
    if (format !== "v1" || rest.length > 0 || body.length < 28) throw new Error("this is not a sealed value")
    const decipher = createDecipheriv("aes-256-gcm", keyFor("seal", keyId), body.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(about(keyId, context)).setAuthTag(body.subarray(-16))
    return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]).toString("utf8")
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
    unseal: (sealed, context) => attempt(() => unseal(sealed, context))
  }
}
