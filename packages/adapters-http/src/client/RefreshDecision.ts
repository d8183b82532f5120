import type { StoredTokens } from "./TokenStore.js"

/**
 * What to do with the tokens before a call.
 *
 * The service repeats the answer to a refresh for 30 seconds. When a refresh token is used again after these 30
 * seconds, it counts as stolen, and the service ends the connection. So when the outcome of a refresh is unknown, the
 * client repeats the refresh only in the first 20 seconds, which leaves 10 seconds for the network. After these 20
 * seconds, the client repeats the refresh only when the app asks for that (`evenIfUncertain`).
 */
export type RefreshDecision =
  | { readonly _tag: "NotConnected" }
  | { readonly _tag: "Use"; readonly tokens: StoredTokens }
  | {
      readonly _tag: "Refresh"
      readonly tokens: StoredTokens
      /** When the first attempt of the refresh began, in milliseconds since 1970. */
      readonly since: number
    }
  /** A refresh was sent, its outcome is unknown, and it is too late to repeat the refresh. */
  | { readonly _tag: "Uncertain"; readonly tokens: StoredTokens }

/** The client replaces an access token this long before it expires, so that the token does not expire during a call. */
export const MARGIN_MS = 60_000
/** The last attempt of a refresh begins at most this long after the first attempt. */
export const REPEATABLE_MS = 20_000
/**
 * One attempt of a refresh, or of the exchange of a code, takes at most this long. So even if the first two attempts
 * get no answer, the third attempt, after its wait, begins within `REPEATABLE_MS`.
 */
export const ATTEMPT_MS = 8_000

export interface RefreshWish {
  /** The access token that the service has refused; null when the service has refused no token. */
  readonly refused: string | null
  /** Whether to refresh although the outcome of an earlier refresh is unknown. */
  readonly evenIfUncertain: boolean
}

export const decide = (
  tokens: StoredTokens | null,
  nowMs: number,
  { evenIfUncertain, refused }: RefreshWish
): RefreshDecision => {
  if (tokens === null) return { _tag: "NotConnected" }
  const isFresh = tokens.access_token !== refused && nowMs < tokens.expires_at - MARGIN_MS
  if (isFresh && !evenIfUncertain) return { _tag: "Use", tokens }
  const { refreshing_since: since = nowMs } = tokens
  // When the clock was set back, the client does not know how much time has passed. The client then assumes that it is
  // too late to repeat the refresh.
  const isTooLate = nowMs - since > REPEATABLE_MS || nowMs < since
  if (!isTooLate) return { _tag: "Refresh", tokens, since }
  return evenIfUncertain ? { _tag: "Refresh", tokens, since: nowMs } : { _tag: "Uncertain", tokens }
}

/**
 * Whether the access token still works: it is neither refused nor expired. True even for a token that expires so soon
 * that the client refreshes it before the next call.
 */
export const isUsable = (tokens: StoredTokens, nowMs: number, refused: string | null): boolean =>
  tokens.access_token !== refused && nowMs < tokens.expires_at
