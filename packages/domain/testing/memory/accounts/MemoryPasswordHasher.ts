import { Effect, Encoding, Layer } from "effect"
import { PasswordHasher } from "../../../src/accounts/PasswordHasher.js"
import { sha256 } from "../vault/Sha256.js"
import * as Utf8 from "../vault/Utf8.js"

const hash = (password: string): string =>
  `memory$${Encoding.encodeHex(sha256(Utf8.encode(password.normalize("NFKC"))))}`

/**
 * Some very common passwords. `password` is too short for an account, but `PasswordRules` also looks up the parts of a
 * password.
 */
const COMMON: ReadonlySet<string> = new Set(["1234567890", "password", "password123", "qwertyuiop"])

/**
 * A password hasher for tests and simulations, which sign in thousands of times. The hasher is fast and uses no salt,
 * so never use it in production.
 */
export const make: typeof PasswordHasher.Service = {
  hash: (password) => Effect.sync(() => hash(password)),
  verify: (stored, password) => Effect.sync(() => stored === hash(password)),
  waste: () => Effect.void,
  common: Effect.succeed((text) => COMMON.has(text))
}

export const layer: Layer.Layer<PasswordHasher> = Layer.succeed(PasswordHasher, make)
