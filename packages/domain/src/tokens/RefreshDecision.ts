import type { AppId, Timestamp, Vault } from "../shared/index.js"
import type { ConnectionDecision, WithApp } from "../connection/ConnectionStore.js"
import type { Locked, TokenWrite } from "./TokenStore.js"
import * as Ending from "../connection/Ending.js"
import * as LeakNotice from "./LeakNotice.js"
import { isRace, type RefreshToken, type Rotation } from "./TokenFamily.js"

/** The app that presented a refresh token, and the values that a rotation of the token would store. */
export interface RefreshOffer {
  readonly appId: AppId
  /**
   * The hash of the next refresh token. This token is derived from the presented token with the key and nonce of
   * `rotation`.
   */
  readonly childHash: Vault.Hash
  readonly rotation: Omit<Rotation, "at">
  readonly accessHash: Vault.Hash
}

export type RefreshRefusal =
  | "unknown"
  | "of_another_app"
  | "revoked"
  | "standard_tier_passed"
  /**
   * The token was spent more than `RACE_WINDOW` ago, too long ago for a client that retries after a lost answer:
   * somebody may have copied the token. The refusal also ends the connection.
   */
  | "leaked"
  /** The connection is suspended (`WithApp.isSuspended`). The token stays unspent. */
  | "suspended"

export type RefreshOutcome =
  | { readonly _tag: "Rotated"; readonly grant: WithApp; readonly at: Timestamp.Timestamp }
  /**
   * The token was spent at most `RACE_WINDOW` ago, so the client probably did not get the answer. `chain` is the
   * presented token and all tokens after it. The client gets the last token, the head, again.
   */
  | {
      readonly _tag: "Raced"
      readonly grant: WithApp
      readonly at: Timestamp.Timestamp
      readonly chain: ReadonlyArray<RefreshToken>
    }
  | { readonly _tag: "Refused"; readonly why: RefreshRefusal }

/**
 * Decides a refresh by the list of cases of decision O6; the first case that matches counts. The check for a revoked
 * token comes before the check for a leak. A revoked token never ends the connection, however old the token is, because
 * the user may have connected again since the token was issued.
 */
export const decide = (
  offer: RefreshOffer,
  state: Locked,
  now: Timestamp.Timestamp
): ConnectionDecision<RefreshOutcome, TokenWrite> => {
  const { app, chain, connection } = state
  const presented = chain[0]
  if (presented === undefined) return refuse("unknown")
  if (connection.appId !== offer.appId) return refuse("of_another_app")
  if (presented.revokedAt !== null || connection.endedAt !== null || app.revokedAt !== null) return refuse("revoked")
  // A consent and the exchange of its code end every earlier family. The spent tokens of an ended family are not marked
  // as revoked, so only this check refuses them.
  if (presented.familyId !== connection.familyId) return refuse("revoked")
  if (state.isSuspended) return refuse("suspended")
  const expired = Ending.ifExpired(connection, now)
  if (expired.length > 0) return refuse("standard_tier_passed", expired)

  const grant: WithApp = { connection, app }
  const token = {
    userId: connection.userId,
    connectionId: connection.id,
    familyId: presented.familyId,
    issuedAt: now,
    revokedAt: null
  }
  const access = { _tag: "IssueAccess", token: { ...token, hash: offer.accessHash } } as const
  if (presented.rotation === null) {
    return {
      outcome: { _tag: "Rotated", grant, at: now },
      writes: [
        { _tag: "Rotate", hash: presented.hash, rotation: { ...offer.rotation, at: now } },
        { _tag: "IssueRefresh", token: { ...token, hash: offer.childHash, rotation: null } },
        access
      ]
    }
  }
  if (isRace(presented.rotation.at, now)) {
    return { outcome: { _tag: "Raced", grant, at: now, chain }, writes: [access] }
  }
  return refuse("leaked", LeakNotice.writes("refresh_token_reused", grant, now))
}

const refuse = (
  why: RefreshRefusal,
  writes: ReadonlyArray<TokenWrite> = []
): ConnectionDecision<RefreshOutcome, TokenWrite> => ({ outcome: { _tag: "Refused", why }, writes })
