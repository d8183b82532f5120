import type { AppId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { Decision, Locked, WithApp } from "./ConnectionStore.js"
import * as Ending from "./Ending.js"
import * as LeakNotice from "./LeakNotice.js"
import { isRace, type RefreshToken, type Rotation } from "./TokenFamily.js"

/** The token presented by a client whose secret was right, and what a rotation would store. */
export interface Offer {
  readonly appId: AppId
  /** Hash of the child, derived from the presented token with the key and nonce of `rotation`. */
  readonly childHash: Hash
  readonly rotation: Omit<Rotation, "at">
  readonly accessHash: Hash
}

export type Refusal =
  | "unknown"
  | "of_another_app"
  | "revoked"
  | "standard_tier_passed"
  /** Spent before the race window: the connection was ended for it. */
  | "leaked"

export type Outcome =
  | { readonly _tag: "Rotated"; readonly grant: WithApp; readonly at: Timestamp }
  /** `chain`: the presented token and every link after it; the last is the head, which is given again. */
  | {
      readonly _tag: "Raced"
      readonly grant: WithApp
      readonly at: Timestamp
      readonly chain: ReadonlyArray<RefreshToken>
    }
  | { readonly _tag: "Refused"; readonly why: Refusal }

/**
 * The table of decision O6, first match. The order carries weight: a token that was revoked fails quietly however old it is, so
 * that one from before a reconnect cannot end the connection made since.
 */
export const decide = (offer: Offer, state: Locked, now: Timestamp): Decision<Outcome> => {
  const { app, chain, connection } = state
  const presented = chain[0]
  if (presented === undefined) return refuse("unknown")
  if (connection.appId !== offer.appId) return refuse("of_another_app")
  if (presented.revokedAt !== null || connection.endedAt !== null || app.revokedAt !== null) return refuse("revoked")
  // Cannot happen: a consent, and exchanging its code, revokes every other family. If it did, the token would be as good as revoked.
  if (presented.familyId !== connection.familyId) return refuse("revoked")
  const expired = Ending.ifExpired(connection, now)
  if (expired.length > 0) return refuse("standard_tier_passed", expired)

  const grant: WithApp = { connection, app }
  const access = {
    _tag: "IssueAccess",
    token: {
      hash: offer.accessHash,
      userId: connection.userId,
      connectionId: connection.id,
      familyId: presented.familyId,
      issuedAt: now,
      revokedAt: null
    }
  } as const
  if (presented.rotation === null) {
    return {
      outcome: { _tag: "Rotated", grant, at: now },
      writes: [
        { _tag: "Rotate", hash: presented.hash, rotation: { ...offer.rotation, at: now } },
        {
          _tag: "IssueRefresh",
          token: {
            hash: offer.childHash,
            userId: connection.userId,
            connectionId: connection.id,
            familyId: presented.familyId,
            issuedAt: now,
            rotation: null,
            revokedAt: null
          }
        },
        access
      ]
    }
  }
  if (isRace(presented.rotation.at, now)) {
    return { outcome: { _tag: "Raced", grant, at: now, chain }, writes: [access] }
  }
  return refuse("leaked", LeakNotice.writes("refresh_token_reused", grant, now))
}

const refuse = (why: Refusal, writes: Decision<Outcome>["writes"] = []): Decision<Outcome> => ({
  outcome: { _tag: "Refused", why },
  writes
})
