import { Context, type Option } from "effect"
import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import type { Place } from "../places/Place.js"
import type { ConnectionId, ConsentRequestId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { Hash } from "../shared/Vault.js"
import type { AuthorizationCode } from "../tokens/AuthorizationCode.js"
import type { TokenWrite } from "../tokens/TokenStore.js"
import type { ConsentRequest, DecidedConsent } from "./ConsentRequest.js"

/** What an approval stores: the connection after the approval, and the authorization code. */
export interface Approval {
  readonly connection: Connection
  readonly code: AuthorizationCode
  /**
   * The earlier connection of the user and app, whose standard tier has ended. The store ends it as `expired` before it
   * stores `connection`. Null: there is none.
   */
  readonly expired: ConnectionId | null
}

/** The outcome of a decision about a consent request. Everything in it is committed together. */
export interface RequestDecision<A> {
  readonly outcome: A
  /** The decision to store with the request; null leaves the request as it is. */
  readonly decided: DecidedConsent | null
  readonly approval: Approval | null
  /** More writes to the approved connection or, without an approval, to the existing connection. Left out: none. */
  readonly writes?: ReadonlyArray<TokenWrite>
}

/** What the store reads for a decision about a consent request, after it has locked the pair of user and app. */
export interface ApprovalState {
  readonly request: ConsentRequest
  readonly app: App
  /** The connection of this user and app whose end is not stored. The end date of its standard tier may have passed. */
  readonly existing: Option.Option<Connection>
  /** The user's `sub` at this app, if the user was ever connected to the app. */
  readonly sub: Option.Option<Connection["sub"]>
  /** The user's places, in any order. Archived places are included. */
  readonly ownPlaces: ReadonlyArray<Place>
  /** The highest `placesVersion` that a connection of this user and app ever had; 0 before the first connection. */
  readonly placesVersion: number
  /** The hashes of the codes of this user and app that were not exchanged and are live (`AuthorizationCode.isLive`). */
  readonly usableCodes: ReadonlyArray<Hash>
}

/** Consent requests, and the connections that approvals make or change. */
export class ConsentStore extends Context.Tag("@place-access/domain/consent/ConsentStore")<
  ConsentStore,
  {
    readonly createRequest: (request: ConsentRequest) => StoreEffect<void>
    readonly findRequest: (id: ConsentRequestId) => StoreEffect<Option.Option<ConsentRequest>>

    /**
     * Locks the request and the pair of user and app, reads the clock, calls `decide` and stores the decision. The lock
     * makes two tabs of one user wait for each other. The store also locks the user's places. Otherwise a place could
     * be archived at the same time: the archiving would not see the new connection that this call makes, and this
     * connection would keep its `placesVersion` although it loses a place. None when there is no request of this id,
     * and when the user's account is deleted. Except on a cluster (decision deletions-2), a deletion of the account
     * waits for this call: otherwise the deletion would not see the connection that this call makes, and would not end
     * the connection.
     */
    readonly decideRequest: <A>(
      id: ConsentRequestId,
      userId: UserId,
      decide: (state: ApprovalState, now: Timestamp.Timestamp) => RequestDecision<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
