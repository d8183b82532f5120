import { Effect, Option } from "effect"
import * as Entropy from "./Entropy.js"

/**
 * Opaque credentials (decision O5): `pa_at.con_4f….<secret>`. The kind lets a leaked token be recognised, the route says
 * whose rows to look in, the secret holds at least 256 bits. Apps see a connection's id there, never the user's.
 */
export type Kind =
  /** access token */
  | "at"
  /** refresh token */
  | "rt"
  /** authorization code */
  | "ac"
  /** device token of a phone */
  | "dv"

export interface Token {
  readonly kind: Kind
  /** Written as any id is (`Ids`). */
  readonly route: string
  readonly secret: string
}

/** `pa_<kind>.<route>.<secret>`: what an app holds. */
export const format = (kind: Kind, route: string, secret: string): string => `pa_${kind}.${route}.${secret}`

/** A token whose secret is fresh randomness. */
export const fresh = (kind: Kind, route: string): Effect.Effect<string, never, Entropy.Entropy> =>
  Effect.map(Entropy.secret, (secret) => format(kind, route, secret))

const PATTERN = /^pa_(at|rt|ac|dv)\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43,64})$/

/** None for anything that this service cannot have issued: such a text needs no look-up. */
export const parse = (text: string): Option.Option<Token> => {
  const match = PATTERN.exec(text)
  return match?.[1] === undefined || match[2] === undefined || match[3] === undefined
    ? Option.none()
    : Option.some({ kind: match[1] as Kind, route: match[2], secret: match[3] })
}
