// The exchange of an authorization code for tokens (decision tokens-1).
import { Option } from "effect"
import type { AppId, FamilyId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash, Vault } from "../shared/Vault.js"
import * as AuthorizationCode from "./AuthorizationCode.js"
import type { ConnectionDecision, WithApp } from "../connection/ConnectionStore.js"
import type { Locked, TokenWrite } from "./TokenStore.js"
import * as Ending from "../connection/Ending.js"
import * as LeakNotice from "./LeakNotice.js"
import * as Pkce from "./Pkce.js"
import { isRace, type Rotation } from "./TokenFamily.js"

/**
 * The values that the client sent with the code, and the values that the exchange stores if it is the first exchange of
 * the code.
 */
export interface CodeOffer {
  readonly appId: AppId
  readonly redirectUri: string
  readonly verifier: string
  readonly familyId: FamilyId
  readonly accessHash: Hash
  readonly refreshHash: Hash
  /**
   * The nonce, and the service's key, with which the refresh token is derived from the code. The nonce is the hash of
   * the client's `Idempotency-Key`. With this key the client can repeat the request. Null when the client sent no
   * `Idempotency-Key`.
   */
  readonly exchange: Omit<Rotation, "at"> | null
}

export type ExchangeRefusal =
  | "unknown"
  | "of_another_app"
  | "redirect_uri_differs"
  | "verifier_differs"
  | "connection_ended"
  | "standard_tier_passed"
  /** The code was exchanged before, and this request is not a permitted repetition of that exchange. */
  | "used"
  | "expired"
  /** The connection is suspended (`WithApp.isSuspended`). The code stays unused. */
  | "suspended"

export type CodeExchangeOutcome =
  | { readonly _tag: "Issued"; readonly grant: WithApp; readonly at: Timestamp }
  /**
   * The client has repeated its request with the same `Idempotency-Key`. It gets a new access token, and the newest
   * refresh token of `chain`. The chain is empty when the service's key has changed since the exchange.
   */
  | {
      readonly _tag: "Repeated"
      readonly grant: WithApp
      readonly at: Timestamp
      readonly exchange: Rotation
      readonly chain: Locked["chain"]
    }
  | { readonly _tag: "Refused"; readonly why: ExchangeRefusal }

/**
 * Decides an exchange (decision O7). A client with a wrong redirect URI or verifier did not begin the flow. Its request
 * changes nothing: the code stays unused and nothing is revoked. A second exchange shows that the code leaked, and ends
 * the connection, however old the code is. Exceptions: the connection is suspended, or a later consent or exchange has
 * replaced the code's token family. A client that sent an `Idempotency-Key` can repeat its request within 30 s, and
 * gets the same refresh token, or the newest refresh token if the client has refreshed meanwhile.
 *
 * When the database's answer to the commit was lost, `exchangeCode` calls `decide` again with the same offer. If the
 * commit succeeded, the code already has the offer's family, and nothing is left to write.
 */
export const decide = (
  vault: typeof Vault.Service,
  offer: CodeOffer,
  state: Locked,
  now: Timestamp
): ConnectionDecision<CodeExchangeOutcome, TokenWrite> => {
  const { app, connection } = state
  if (Option.isNone(state.code)) return refuse("unknown")
  const code = state.code.value
  if (code.appId !== offer.appId) return refuse("of_another_app")
  if (code.redirectUri !== offer.redirectUri) return refuse("redirect_uri_differs")
  if (!Pkce.matches(vault, offer.verifier, code.challenge)) return refuse("verifier_differs")
  if (connection.endedAt !== null || app.revokedAt !== null) return refuse("connection_ended")
  if (state.isSuspended) return refuse("suspended")
  const expired = Ending.ifExpired(connection, now)
  if (expired.length > 0) return refuse("standard_tier_passed", expired)
  const grant: WithApp = { connection, app }
  const token = {
    userId: connection.userId,
    connectionId: connection.id,
    familyId: code.familyId ?? offer.familyId,
    issuedAt: now,
    revokedAt: null
  }
  if (code.familyId !== null) {
    // A later consent or exchange has replaced the token family of this code. So a second exchange of this code must
    // not end the connection's present tokens.
    if (code.familyId !== connection.familyId)
      return refuse("used", [{ _tag: "RevokeFamily", familyId: code.familyId }])
    if (code.familyId === offer.familyId) return { outcome: { _tag: "Issued", grant, at: now }, writes: [] }
    const { exchange } = code
    if (exchange === null || exchange.nonce !== offer.exchange?.nonce || !isRace(exchange.at, now)) {
      return refuse("used", LeakNotice.writes("code_reused", grant, now))
    }
    return {
      outcome: { _tag: "Repeated", grant, at: now, exchange, chain: state.chain },
      writes: [{ _tag: "IssueAccess", token: { ...token, hash: offer.accessHash } }]
    }
  }
  if (!AuthorizationCode.isLive(code, now)) return refuse("expired")
  const exchange = offer.exchange === null ? null : { ...offer.exchange, at: now }
  return {
    outcome: { _tag: "Issued", grant, at: now },
    writes: [
      { _tag: "RevokeTokens" },
      { _tag: "UseCode", hash: code.hash, familyId: offer.familyId, exchange },
      { _tag: "StartFamily", familyId: offer.familyId },
      { _tag: "IssueAccess", token: { ...token, hash: offer.accessHash } },
      { _tag: "IssueRefresh", token: { ...token, hash: offer.refreshHash, rotation: null } }
    ]
  }
}

const refuse = (
  why: ExchangeRefusal,
  writes: ReadonlyArray<TokenWrite> = []
): ConnectionDecision<CodeExchangeOutcome, TokenWrite> => ({
  outcome: { _tag: "Refused", why },
  writes
})
