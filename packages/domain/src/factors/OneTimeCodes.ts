import { Context } from "effect"

/** Computes the same codes as an authenticator app for one-time codes (RFC 6238: SHA-1, six digits, 30 seconds). */
export class OneTimeCodes extends Context.Tag("@place-access/domain/factors/OneTimeCodes")<
  OneTimeCodes,
  {
    /** The random bytes in base32, the form in which authenticator apps read a secret. */
    readonly secret: (bytes: Uint8Array) => string
    /** The six digits that the authenticator app shows in the time step `step`. */
    readonly code: (secret: string, step: number) => string
  }
>() {}
