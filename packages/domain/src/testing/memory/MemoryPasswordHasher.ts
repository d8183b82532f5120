import { Effect, Encoding, Layer } from "effect"
import { PasswordHasher } from "../../accounts/PasswordHasher.js"
import { sha256 } from "./Sha256.js"
import * as Utf8 from "./Utf8.js"

const hash = (password: string): string =>
  `memory$${Encoding.encodeHex(sha256(Utf8.encode(password.normalize("NFKC"))))}`

/** Quick and unsalted: for tests and simulations, which sign in thousands of times. */
export const make: typeof PasswordHasher.Service = {
  hash: (password) => Effect.sync(() => hash(password)),
  verify: (stored, password) => Effect.sync(() => stored === hash(password)),
  waste: Effect.void
}

export const layer: Layer.Layer<PasswordHasher> = Layer.succeed(PasswordHasher, make)
