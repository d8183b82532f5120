import { Context, Effect, Schema } from "effect"
import { brand } from "./Errors.js"
import { withPort } from "./Program.js"

/** Lower-case hex SHA-256 of a credential: tokens, codes and client secrets are stored in this form (Spec §2.1). */
export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/), brand("Hash"))
export type Hash = typeof Hash.Type

/** An encrypted value with the id of its key. The adapter chooses the format. */
export const Sealed = Schema.String.pipe(brand("Sealed"))
export type Sealed = typeof Sealed.Type

/** The id of a key. An operator replaces a key by adding a newer key in front of the list (`SECRET_KEYS`). */
export const KeyId = Schema.String.pipe(brand("KeyId"))
export type KeyId = typeof KeyId.Type

/**
 * A value could not be unsealed, a key id is unknown, or a stored refresh token is not the token that the service
 * derives from the token before it. The cause is, for example, a damaged row or a key that an operator removed.
 */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", { reason: Schema.String }) {
  /** The message may repeat the reason, which is for the operator and contains no secret, at most the id of a key. */
  override get message(): string {
    return `The vault refused: ${this.reason}`
  }
}

/** What a derived key is used for. The keys for different uses are unrelated. */
export type KeyUse =
  | "refresh-token"
  | "authorization-code"
  | "form-token"
  | "cursor"
  | "listener-secret"
  | "known-browser"
  | "pending-sign-in"
  | "session-cookie"
  | "device-setup"

/** The port of digests, and of keys, which are kept outside the database. Digests are plain functions, not effects. */
export class Vault extends Context.Tag("@place-access/domain/shared/Vault")<
  Vault,
  {
    /** The stored form of a credential (`Hash`). */
    readonly sha256: (text: string) => Hash
    /**
     * Compares two texts. For texts of the same length, the time depends on the length only, so the time reveals no
     * character.
     */
    readonly equal: (a: string, b: string) => boolean
    /** base64url(SHA-256(text)): RFC 7636 §4.6. */
    readonly s256: (text: string) => string
    /** The id of the key for new values. */
    readonly currentKey: KeyId
    /** The ids of all accepted keys, newest first. */
    readonly keys: ReadonlyArray<KeyId>
    /** HMAC-SHA256 of `text` in base64url. Its key is derived for `use` from the master key with the id `key`. */
    readonly derive: (use: KeyUse, key: KeyId, text: string) => Effect.Effect<string, VaultError>
    /**
     * Encrypts with AES-256-GCM. `context` names the row and is authenticated, so a value that somebody moves to
     * another row cannot be unsealed.
     */
    readonly seal: (plaintext: string, context: string) => Effect.Effect<Sealed>
    /** Decrypts. Fails when the context differs from that of `seal`, the key was removed, or the value was changed. */
    readonly unseal: (sealed: Sealed, context: string) => Effect.Effect<string, VaultError>
    /** Like `seal`, for bytes. The text form of `seal` would be a third longer. */
    readonly sealBytes: (plain: Uint8Array, context: string) => Effect.Effect<Uint8Array>
    /** Like `unseal`, for bytes that `sealBytes` made. Refuses a text that `seal` made, even for the same context. */
    readonly unsealBytes: (sealed: Uint8Array, context: string) => Effect.Effect<Uint8Array, VaultError>
  }
>() {}

/**
 * Whether `Vault.derive` returns `mac` for `text` with this use and the key with the id `keyId`. False when the service
 * no longer accepts this key. The comparison takes constant time (`Vault.equal`).
 */
export const isSigned = (
  use: KeyUse,
  { keyId, mac, text }: { readonly keyId: string; readonly mac: string; readonly text: string }
): Effect.Effect<boolean, never, Vault> =>
  withPort(Vault, (vault) => {
    const key = vault.keys.find((candidate) => candidate === keyId)
    if (key === undefined) return Effect.succeed(false)
    return Effect.match(vault.derive(use, key, text), {
      onFailure: () => false,
      onSuccess: (expected) => vault.equal(expected, mac)
    })
  })
