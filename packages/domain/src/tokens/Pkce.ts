import { Schema } from "effect"
import { brand } from "../shared/Errors.js"
import type { Vault } from "../shared/Vault.js"

/** base64url(SHA-256(verifier)), 43 characters (RFC 7636 §4.2). S256 is the only method (Spec §4.1). */
export const Challenge = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_-]{43}$/), brand("CodeChallenge"))
export type Challenge = typeof Challenge.Type

/**
 * Whether the challenge can be a SHA-256. Its last character has only 4 of the 256 bits, so the lowest 2 bits of this
 * character are 0. No verifier fits any other challenge.
 */
export const isDigest = (challenge: string): boolean => /[AEIMQUYcgkosw048]$/.test(challenge)

/** A PKCE verifier: 43 to 128 unreserved characters (RFC 7636 §4.1). */
export const Verifier = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9._~-]{43,128}$/), brand("CodeVerifier"))
export type Verifier = typeof Verifier.Type

/** Whether the text is a verifier whose S256 challenge is `challenge`. The comparison takes constant time. */
export const matches = (vault: typeof Vault.Service, verifier: string, challenge: Challenge): boolean =>
  Schema.is(Verifier)(verifier) && vault.equal(vault.s256(verifier), challenge)
