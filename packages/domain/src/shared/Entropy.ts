import { Context, Effect } from "effect"

/** Random bytes from outside the domain. A simulation gives a seeded one; nothing else in the domain is random. */
export class Entropy extends Context.Tag("@place-access/domain/shared/Entropy")<
  Entropy,
  {
    /** `length` uniformly random bytes, unpredictable in production. */
    readonly bytes: (length: number) => Effect.Effect<Uint8Array>
  }
>() {}

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"

/** Crockford's base 32, lower case: no `_` or `-`, so that ids and tokens can be joined with them. */
const base32 = (bytes: Uint8Array): string => {
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

/** A fresh id of 120 random bits, such as `rul_01hz…`; the prefix names its kind for people who read logs. */
export const id = (prefix: string): Effect.Effect<string, never, Entropy> =>
  Effect.flatMap(Entropy, (entropy) => idFrom(entropy, prefix))

/** As `id`, of an entropy at hand. */
export const idFrom = (entropy: Entropy["Type"], prefix: string): Effect.Effect<string> =>
  Effect.map(entropy.bytes(15), (bytes) => `${prefix}_${base32(bytes)}`)

/** 256 random bits as 52 lower-case characters: the secret part of a token. */
export const secret: Effect.Effect<string, never, Entropy> = Effect.flatMap(Entropy, (entropy) => secretFrom(entropy))

/** As `secret`, of an entropy at hand. */
export const secretFrom = (entropy: Entropy["Type"]): Effect.Effect<string> => Effect.map(entropy.bytes(32), base32)
