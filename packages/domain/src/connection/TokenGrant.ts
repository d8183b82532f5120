import type { Sub } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { WithApp } from "./ConnectionStore.js"
import * as EffectiveScopes from "./EffectiveScopes.js"
import { ACCESS_LIFETIME_S } from "./TokenFamily.js"

/** The answer of the token endpoint (Spec §4.3). */
export interface TokenGrant {
  readonly accessToken: string
  /** Seconds. */
  readonly expiresIn: number
  readonly refreshToken: string
  /** The standard tier's end; null when the user chose no expiry. */
  readonly refreshTokenExpiresAt: Timestamp | null
  /** Null when no sensitive scope is held; in the past while a lapsed one can be renewed. */
  readonly sensitiveScopesExpireAt: Timestamp | null
  /** Effective ones. */
  readonly scopes: ReadonlyArray<Scope.Scope>
  readonly sub: Sub
}

/** What the token endpoint answers. */
export const of = (
  { app, connection }: WithApp,
  tokens: Pick<TokenGrant, "accessToken" | "refreshToken">,
  now: Timestamp
): TokenGrant => ({
  accessToken: tokens.accessToken,
  refreshToken: tokens.refreshToken,
  expiresIn: ACCESS_LIFETIME_S,
  refreshTokenExpiresAt: connection.standardExpiresAt,
  sensitiveScopesExpireAt: EffectiveScopes.reported(connection, app, now).some(Scope.isSensitive)
    ? connection.sensitiveExpiresAt
    : null,
  scopes: EffectiveScopes.effective(connection, app, now),
  sub: connection.sub
})
