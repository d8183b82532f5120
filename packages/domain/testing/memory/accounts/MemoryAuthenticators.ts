import { Effect, Encoding, Layer } from "effect"
import { PasskeyId } from "../../../src/factors/Factors.js"
import { OneTimeCodes } from "../../../src/factors/OneTimeCodes.js"
import { PasskeyRejected, type PasskeyResponse, PasskeyVerifier } from "../../../src/factors/PasskeyVerifier.js"
import type { UserId } from "../../../src/shared/Ids.js"
import { sha256 } from "../vault/Sha256.js"
import * as Utf8 from "../vault/Utf8.js"

/**
 * Authenticators for tests, and in-memory ports that check the answers of these authenticators. Anybody can forge these
 * answers, so never use the ports in production.
 */

/**
 * A one-time code that depends on the secret and the time step, as in RFC 6238. It is not the code that RFC 6238
 * computes for this secret and step.
 */
export const code = (secret: string, step: number): string => {
  const [a = 0, b = 0, c = 0] = sha256(Utf8.encode(`${secret} ${step}`))
  return String(((a << 16) | (b << 8) | c) % 1_000_000).padStart(6, "0")
}

export const codes: Layer.Layer<OneTimeCodes> = Layer.succeed(OneTimeCodes, {
  secret: (bytes) => Encoding.encodeHex(bytes),
  code
})

/**
 * A passkey of a test. `key` is the signing key of the passkey. The in-memory port refuses a passkey that has the id of
 * a registered passkey, but another key.
 */
export interface MemoryPasskey {
  readonly id: string
  readonly key: string
  readonly owner: UserId | null
  readonly counter: number
  readonly isUserVerified: boolean
}

/** The answer that the passkey gives to a challenge. */
export const answer = (passkey: MemoryPasskey, challenge: string): PasskeyResponse => ({
  id: PasskeyId.make(passkey.id),
  challenge,
  owner: passkey.owner,
  json: JSON.stringify({ ...passkey, challenge })
})

const read = (response: PasskeyResponse): Effect.Effect<MemoryPasskey, PasskeyRejected> =>
  Effect.suspend(() => {
    const passkey = JSON.parse(response.json) as MemoryPasskey & { readonly challenge: string }
    return passkey.challenge === response.challenge && passkey.id === response.id
      ? Effect.succeed(passkey)
      : new PasskeyRejected({ reason: "the challenge or the id is another" })
  })

export const passkeys: Layer.Layer<PasskeyVerifier> = Layer.succeed(PasskeyVerifier, {
  registered: (response) =>
    Effect.map(read(response), ({ counter, key }) => ({ id: response.id, publicKey: key, counter })),
  signed: (response, { publicKey }) =>
    Effect.flatMap(read(response), ({ counter, isUserVerified, key }) =>
      key === publicKey
        ? Effect.succeed({ counter, isUserVerified })
        : new PasskeyRejected({ reason: "it was signed with another key" })
    )
})
