export { authenticateAccess } from "./authenticateAccess.js"
export * as AuthorizationCode from "./AuthorizationCode.js"
export * as AuthorizeRequest from "./AuthorizeRequest.js"
export * as Caller from "./Caller.js"
export * as CodeExchange from "./CodeExchange.js"
export * as Connection from "./Connection.js"
export {
  type Approval,
  type ApprovalState,
  ConnectionStore,
  type Decision,
  type Locked,
  type RequestDecision,
  type WithApp,
  type Write
} from "./ConnectionStore.js"
export * as ConnectionView from "./ConnectionView.js"
export type { ConsentChoices } from "./ConsentChoices.js"
export * as ConsentDecision from "./ConsentDecision.js"
export * as ConsentMode from "./ConsentMode.js"
export * as ConsentRequest from "./ConsentRequest.js"
export * as ConsentReview from "./ConsentReview.js"
export { decideConsent } from "./decideConsent.js"
export { describeConnection } from "./describeConnection.js"
export { disconnect } from "./disconnect.js"
export * as EffectiveScopes from "./EffectiveScopes.js"
export * as Ending from "./Ending.js"
export { endRevoked } from "./endRevoked.js"
export {
  AuthorizePage,
  AuthorizeRedirect,
  ConsentRefusal,
  ConsentRefused,
  InvalidGrant,
  InvalidToken,
  MissingScope,
  ScopeExpired
} from "./Errors.js"
export { exchangeCode, type PresentedCode } from "./exchangeCode.js"
export { listAppUsers } from "./listAppUsers.js"
export { type ConnectionPage, getConnection, listConnections, pageConnections } from "./listConnections.js"
export { listUses } from "./listUses.js"
export * as LeakNotice from "./LeakNotice.js"
export * as Pkce from "./Pkce.js"
export * as Receipt from "./Receipt.js"
export * as RefreshDecision from "./RefreshDecision.js"
export { refreshTokens } from "./refreshTokens.js"
export { reviewConsent } from "./reviewConsent.js"
export * as Revocation from "./Revocation.js"
export { revokeToken } from "./revokeToken.js"
export * as SharedPlaces from "./SharedPlaces.js"
export { sharePlaces } from "./sharePlaces.js"
export { startConsent } from "./startConsent.js"
export * as TokenFamily from "./TokenFamily.js"
export * as TokenGrant from "./TokenGrant.js"
export * as Uses from "./Uses.js"
