import type { TokenGrant } from "@place-access/domain/tokens"
import type { TokenResponse } from "./OAuthApi.js"

/** The answer of the token endpoint (Spec §4.3). */
export const tokensOf = (grant: TokenGrant.TokenGrant): typeof TokenResponse.Type => ({
  access_token: grant.accessToken,
  token_type: "Bearer",
  expires_in: grant.expiresIn,
  refresh_token: grant.refreshToken,
  refresh_token_expires_at: grant.refreshTokenExpiresAt,
  sensitive_scopes_expire_at: grant.sensitiveScopesExpireAt,
  scope: grant.scopes.join(" "),
  sub: grant.sub
})
