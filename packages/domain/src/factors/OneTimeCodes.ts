import { Context } from "effect"

/** Makes the codes of an app (RFC 6238: SHA-1, six digits, 30 seconds), as the app itself does. */
export class OneTimeCodes extends Context.Tag("@place-access/domain/factors/OneTimeCodes")<
  OneTimeCodes,
  {
    /** Random bytes as the base32 text that apps take. */
    readonly secret: (bytes: Uint8Array) => string
    /** The six digits that the app shows in this time step. */
    readonly code: (secret: string, step: number) => string
  }
>() {}
