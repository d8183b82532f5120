import { Context, Effect } from "effect"
import { withPort } from "./Program.js"

/**
 * The port of random bytes. In a simulation, a seed determines the bytes. The domain has no other source of randomness.
 */
export class Entropy extends Context.Tag("@place-access/domain/shared/Entropy")<
  Entropy,
  {
    /**
     * `length` uniformly random bytes, unpredictable in production. `purpose` says what the bytes are for: the prefix
     * of an id, or a word such as "secret". A test world (a server on a virtual clock) draws the bytes of each purpose
     * from a separate sequence, so that more requests for one purpose do not change the bytes of another purpose. Other
     * implementations ignore `purpose`.
     */
    readonly bytes: (length: number, purpose?: string) => Effect.Effect<Uint8Array>
  }
>() {}

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"

/** Crockford's base 32, in lower case. It has no `_` and no `-`, so that ids and tokens can use these as separators. */
export const base32 = (bytes: Uint8Array): string => {
  let out = ""
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      out += BASE32[(buffer >> bits) & 31]
    }
  }
  return bits > 0 ? out + BASE32[(buffer << (5 - bits)) & 31] : out
}

/**
 * A fresh id of 120 random bits, such as `rul_01hz…`. The prefix shows people who read logs what kind of thing the id
 * names.
 */
export const id = (prefix: string): Effect.Effect<string, never, Entropy> =>
  withPort(Entropy, (entropy) => idFrom(entropy, prefix))

/** Like `id`, with a given source of random bytes. */
export const idFrom = (entropy: Entropy["Type"], prefix: string): Effect.Effect<string> =>
  Effect.map(entropy.bytes(15, prefix), (bytes) => `${prefix}_${base32(bytes)}`)

/** 256 random bits as 52 lower-case characters, such as the secret part of a token. */
export const secret: Effect.Effect<string, never, Entropy> = withPort(Entropy, (entropy) => secretFrom(entropy))

/** Whether the text has the form of `secret`. No other text can be a secret that this service issued. */
export const isSecret = (text: string): boolean => /^[0-9a-z]{52}$/.test(text)

/** Like `secret`, with a given source of random bytes. */
export const secretFrom = (entropy: Entropy["Type"], purpose = "secret"): Effect.Effect<string> =>
  Effect.map(entropy.bytes(32, purpose), base32)

/**
 * 256 random bits for one view of a page, such as the nonce of its script or the challenge for a passkey. In a test
 * world (a server on a virtual clock) these bytes come from a separate sequence. If they came from the sequence of
 * tokens, each view of a page would change the tokens that are made later.
 */
export const nonce: Effect.Effect<string, never, Entropy> = withPort(Entropy, (entropy) => secretFrom(entropy, "nonce"))
