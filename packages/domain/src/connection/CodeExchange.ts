import { Option } from "effect"
import type { AppId, FamilyId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash, Vault } from "../shared/Vault.js"
import * as AuthorizationCode from "./AuthorizationCode.js"
import type { Decision, Locked, WithApp } from "./ConnectionStore.js"
import * as Ending from "./Ending.js"
import * as LeakNotice from "./LeakNotice.js"
import * as Pkce from "./Pkce.js"
import { isRace, type Rotation } from "./TokenFamily.js"

/** What the client sent with the code, and what a first exchange would store. */
export interface Offer {
  readonly appId: AppId
  readonly redirectUri: string
  readonly verifier: string
  readonly familyId: FamilyId
  readonly accessHash: Hash
  /** Of the refresh token, derived from the code with the key and nonce of `exchange`. */
  readonly refreshHash: Hash
  readonly exchange: Omit<Rotation, "at">
}

export type Refusal =
  | "unknown"
  | "of_another_app"
  | "redirect_uri_differs"
  | "verifier_differs"
  | "connection_ended"
  | "standard_tier_passed"
  /** Exchanged before: what it issued was revoked. */
  | "used"
  | "expired"

export type Outcome =
  | { readonly _tag: "Issued"; readonly grant: WithApp; readonly at: Timestamp }
  /** The same again: the refresh token of `exchange`, with an access token of its own. */
  | { readonly _tag: "Repeated"; readonly grant: WithApp; readonly at: Timestamp; readonly exchange: Rotation }
  | { readonly _tag: "Refused"; readonly why: Refusal }

/**
 * Decision O7. Whoever cannot prove to be the client that began the flow changes nothing: neither is the code consumed nor
 * anything revoked. Whoever can, and comes again within 30 s while nothing was done with the tokens, did not get the answer: it is
 * given again, as the head of a refresh race is. Whoever comes later holds a code that leaked: what it issued ends, however old it is.
 */
export const decide = (vault: typeof Vault.Service, offer: Offer, state: Locked, now: Timestamp): Decision<Outcome> => {
  const { app, connection } = state
  if (Option.isNone(state.code)) return refuse("unknown")
  const code = state.code.value
  if (code.appId !== offer.appId) return refuse("of_another_app")
  if (code.redirectUri !== offer.redirectUri) return refuse("redirect_uri_differs")
  if (!Pkce.matches(vault, offer.verifier, code.challenge)) return refuse("verifier_differs")
  if (connection.endedAt !== null || app.revokedAt !== null) return refuse("connection_ended")
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
    // From before a reconnect: it cannot end what was made since.
    if (code.familyId !== connection.familyId)
      return refuse("used", [{ _tag: "RevokeFamily", familyId: code.familyId }])
    const { exchange } = code
    if (exchange === null || state.isCodeSpent || !isRace(exchange.at, now)) {
      return refuse("used", LeakNotice.writes("code_reused", grant, now))
    }
    return {
      outcome: { _tag: "Repeated", grant, at: now, exchange },
      writes: [{ _tag: "IssueAccess", token: { ...token, hash: offer.accessHash } }]
    }
  }
  if (!AuthorizationCode.isLive(code, now)) return refuse("expired")
  return {
    outcome: { _tag: "Issued", grant, at: now },
    writes: [
      { _tag: "RevokeTokens" },
      { _tag: "UseCode", hash: code.hash, familyId: offer.familyId, exchange: { ...offer.exchange, at: now } },
      { _tag: "StartFamily", familyId: offer.familyId },
      { _tag: "IssueAccess", token: { ...token, hash: offer.accessHash } },
      { _tag: "IssueRefresh", token: { ...token, hash: offer.refreshHash, rotation: null } }
    ]
  }
}

const refuse = (why: Refusal, writes: Decision<Outcome>["writes"] = []): Decision<Outcome> => ({
  outcome: { _tag: "Refused", why },
  writes
})
