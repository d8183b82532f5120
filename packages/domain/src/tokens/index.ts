/**
 * OAuth codes and tokens. A code is exchanged once for an access token and a refresh token (`CodeExchange`); a refresh
 * spends the refresh token and issues the next pair of the same family (`RefreshDecision`). A spent token or code that
 * is presented again counts as leaked and ends the connection. `CodeExchange` and `RefreshDecision` make exceptions,
 * for example for an app that repeats its request within 30 seconds. The OAuth routes call `exchangeCode`,
 * `refreshTokens` and `revokeToken`; the bearer guard calls `authenticateAccess`.
 *
 * @module
 */

export { authenticateAccess, exchangeCode, type PresentedCode, refreshTokens, revokeToken } from "./manageTokens.js"
export * as AuthorizationCode from "./AuthorizationCode.js"
export * as Caller from "./Caller.js"
export * as CodeExchange from "./CodeExchange.js"
export * as LeakNotice from "./LeakNotice.js"
export * as Pkce from "./Pkce.js"
export * as RefreshDecision from "./RefreshDecision.js"
export * as Revocation from "./Revocation.js"
export * as TokenFamily from "./TokenFamily.js"
export * as TokenGrant from "./TokenGrant.js"
export { type Locked, type Presented, TokenStore, type TokenWrite } from "./TokenStore.js"
