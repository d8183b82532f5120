// The answer of the token endpoint (decision tokens-3).
import { Scope, type Sub, type Timestamp } from "../shared/index.js"
import type { WithApp } from "../connection/ConnectionStore.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import { ACCESS_LIFETIME_S } from "./TokenFamily.js"

/** The answer of the token endpoint (Spec §4.3). */
export interface TokenGrant {
  readonly accessToken: string
  /** The lifetime of the access token in seconds. */
  readonly expiresIn: number
  readonly refreshToken: string
  /** The end of the standard tier; null when the user chose no expiry. */
  readonly refreshTokenExpiresAt: Timestamp.Timestamp | null
  /**
   * The end of the sensitive tier; null when no sensitive scope is held (`EffectiveScopes.held`). The time is in the
   * past while the user can still renew a lapsed tier.
   */
  readonly sensitiveScopesExpireAt: Timestamp.Timestamp | null
  /** The scopes that are effective when the service answers. */
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly sub: Sub
}

/** The answer of a token request, with the scopes that are effective at `now`. */
export const of = (
  { app, connection }: WithApp,
  tokens: Pick<TokenGrant, "accessToken" | "refreshToken">,
  now: Timestamp.Timestamp
): TokenGrant => ({
  accessToken: tokens.accessToken,
  refreshToken: tokens.refreshToken,
  expiresIn: ACCESS_LIFETIME_S,
  refreshTokenExpiresAt: connection.standardExpiresAt,
  sensitiveScopesExpireAt: EffectiveScopes.held(connection, app, now).some(Scope.isSensitive)
    ? connection.sensitiveExpiresAt
    : null,
  scopes: EffectiveScopes.effective(connection, app, now),
  sub: connection.sub
})
