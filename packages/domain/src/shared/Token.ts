import { Effect, Option } from "effect"
import * as Entropy from "./Entropy.js"

/**
 * Opaque credentials such as `pa_at.con_4f….<secret>` (decision O5). A credential has three parts: a kind, by which
 * leak scanners recognise the credential; a route, which is the id (of a connection or user, for example) whose rows
 * the service reads; and a secret of 256 bits or more. Apps see the id of their connection, never the id of the user.
 */
export type TokenKind =
  /** access token */
  | "at"
  /** refresh token */
  | "rt"
  /** authorization code */
  | "ac"
  /** device token of a phone */
  | "dv"
  /** key of a link that sets a phone up */
  | "ds"

export interface Token {
  readonly kind: TokenKind
  /** The id whose rows the service reads to check the token, such as the id of a connection or user. */
  readonly route: string
  readonly secret: string
}

/** The text `pa_<kind>.<route>.<secret>` that an app or phone gets. */
export const format = (kind: TokenKind, route: string, secret: string): string => `pa_${kind}.${route}.${secret}`

/** A new token with a random secret. */
export const fresh = (kind: TokenKind, route: string) =>
  Effect.map(Entropy.secret, (secret) => format(kind, route, secret))

const PATTERN = /^pa_(at|rt|ac|dv|ds)\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43,64})$/

/**
 * The parts of a token. None for a text that this service cannot have issued, so that the store is not queried for it.
 */
export const parse = (text: string): Option.Option<Token> => {
  const match = PATTERN.exec(text)
  return match?.[1] === undefined || match[2] === undefined || match[3] === undefined
    ? Option.none()
    : Option.some({ kind: match[1] as TokenKind, route: match[2], secret: match[3] })
}
