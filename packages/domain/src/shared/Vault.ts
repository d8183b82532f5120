import { Context, type Effect, Schema } from "effect"

/** Lower-case hex SHA-256 of a credential: all that is stored of tokens, codes and client secrets (Spec §2.1). */
export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/), Schema.brand("Hash"))
export type Hash = typeof Hash.Type

/** Ciphertext with the id of the key that made it. The format is the adapter's own. */
export const Sealed = Schema.String.pipe(Schema.brand("Sealed"))
export type Sealed = typeof Sealed.Type

/** A key id; keys are rotated by adding a newer one in front (`SECRET_KEYS`). */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** A value could not be unsealed or a key id is unknown: a damaged row or a key that was thrown away. */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", { reason: Schema.String }) {}

/** What a derived key is used for; two uses never share key material. */
export type KeyUse = "refresh-token" | "authorization-code" | "form-token" | "cursor" | "listener-secret"

/**
 * Keys that live outside the database, and the digests made with them. Digests are plain functions: the same input
 * gives the same output, and no clock or randomness is read.
 */
export class Vault extends Context.Tag("@place-access/domain/shared/Vault")<
  Vault,
  {
    /** What is stored of a credential. */
    readonly sha256: (text: string) => Hash
    /** Constant in time for inputs of equal length. */
    readonly equal: (a: string, b: string) => boolean
    /** base64url(SHA-256(text)): RFC 7636 §4.6. */
    readonly s256: (text: string) => string
    /** The key that new values are made with. */
    readonly currentKey: KeyId
    /** Every key id that is still accepted, newest first. */
    readonly keys: ReadonlyArray<KeyId>
    /** 43 base64url characters of HMAC-SHA256 under the key `key` for `use`. */
    readonly derive: (use: KeyUse, key: KeyId, text: string) => Effect.Effect<string, VaultError>
    /** AES-256-GCM. `context` is authenticated: a value moved to another row does not unseal. */
    readonly seal: (plaintext: string, context: string) => Effect.Effect<Sealed>
    /** Fails when it was sealed for another context or with a key that is gone, or was changed since. */
    readonly unseal: (sealed: Sealed, context: string) => Effect.Effect<string, VaultError>
  }
>() {}
