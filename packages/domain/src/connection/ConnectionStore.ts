import { Context, type Effect, type Option } from "effect"
import type { App } from "../apps/App.js"
import type { OutboxEvent } from "../events/Event.js"
import type { MailMessage } from "../mail/Mail.js"
import type { Place } from "../places/Place.js"
import type { AppId, ConnectionId, ConsentRequestId, FamilyId, PlaceId, UserId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { AuthorizationCode } from "./AuthorizationCode.js"
import type { Connection, EndReason } from "./Connection.js"
import type { ConsentRequest, Decided } from "./ConsentRequest.js"
import type { AccessToken, RefreshToken, Rotation } from "./TokenFamily.js"

/** A connection with the app it belongs to: what every decision about its liveness and scopes reads. */
export interface WithApp {
  readonly connection: Connection
  readonly app: App
}

/** What a decision sees while the connection's row is locked. */
export interface Locked extends WithApp {
  /** The code asked for, when it is this connection's. */
  readonly code: Option.Option<AuthorizationCode>
  /** What that code issued was used since: refreshed, or an app's request under it stands in the access log. */
  readonly isCodeSpent: boolean
  /** The refresh token asked for and the links after it, in order of issue, when it is this connection's. */
  readonly chain: ReadonlyArray<RefreshToken>
  /** The access token asked for, when it is this connection's. */
  readonly access: Option.Option<AccessToken>
}

/** One change to a connection's rows; a decision returns a list of them, written together or not at all. */
export type Write =
  | { readonly _tag: "UseCode"; readonly hash: Hash; readonly familyId: FamilyId; readonly exchange: Rotation }
  /** Every token of every family, spent ones too: none of them can do harm any more (decision O6). */
  | { readonly _tag: "RevokeTokens" }
  | { readonly _tag: "RevokeFamily"; readonly familyId: FamilyId }
  | { readonly _tag: "StartFamily"; readonly familyId: FamilyId }
  | { readonly _tag: "IssueAccess"; readonly token: AccessToken }
  | { readonly _tag: "IssueRefresh"; readonly token: RefreshToken }
  | { readonly _tag: "Rotate"; readonly hash: Hash; readonly rotation: Rotation }
  /**
   * Ends the connection, revokes every token and removes its subscriptions; the rules of an ended connection are never live.
   * Ended connections stay as they ended.
   */
  | { readonly _tag: "End"; readonly reason: EndReason; readonly at: Timestamp }
  /** Marks the connection for a person to look at. */
  | { readonly _tag: "Flag"; readonly at: Timestamp }
  /** Into the outbox, once per `message.dedupeKey`. */
  | { readonly _tag: "Mail"; readonly message: MailMessage }
  /** Replaces the set of shared places; `placesVersion` comes from the decision. */
  | { readonly _tag: "SetPlaces"; readonly places: Connection["places"]; readonly placesVersion: number }
  /** Into the outbox of events. */
  | { readonly _tag: "Emit"; readonly event: OutboxEvent }
  /** When the sweep of the tiers is to look at the connection; null: never (`SensitiveNotice.nextLook`). */
  | { readonly _tag: "LookAt"; readonly at: Timestamp | null }
  /** Replaces what is granted; a sensitive date only with a sensitive scope. Tokens stay and narrow with it. */
  | {
      readonly _tag: "SetScopes"
      readonly heldScopes: Connection["heldScopes"]
      readonly sensitiveExpiresAt: Timestamp | null
    }

export interface Decision<A> {
  readonly outcome: A
  readonly writes: ReadonlyArray<Write>
}

/** A place with the connections that share it and have not ended, by id. */
export interface Sharing {
  readonly place: Place
  readonly sharedWith: ReadonlyArray<WithApp>
}

export interface ArchiveDecision<A> {
  readonly outcome: A
  /** Null leaves the place as it is. */
  readonly archivedAt: Timestamp | null
  readonly writes: ReadonlyArray<{ readonly id: ConnectionId; readonly writes: ReadonlyArray<Write> }>
}

/** What an approval stores: the connection as it is from now on, and the code. */
export interface Approval {
  readonly connection: Connection
  readonly code: AuthorizationCode
  /** A connection whose standard tier had passed unnoticed; ended as `expired`, at that date, before the new one is stored. */
  readonly expired: ConnectionId | null
}

/** What comes of a consent request: all of it is stored together, or nothing. */
export interface RequestDecision<A> {
  readonly outcome: A
  /** Null leaves the request open, or as it was decided. */
  readonly decided: Decided | null
  readonly approval: Approval | null
  /** Afterwards, to the connection: the approved one, or else the one that was there. Left out: none. */
  readonly writes?: ReadonlyArray<Write>
}

export interface ApprovalState {
  readonly request: ConsentRequest
  readonly app: App
  /** The connection of this user and app that has not ended, if any; its standard tier may have passed. */
  readonly existing: Option.Option<Connection>
  /** The pairwise `sub` that this user has for the app, when the user was ever connected. */
  readonly sub: Option.Option<Connection["sub"]>
  /** The highest that a connection of this user and app ever had; 0 before the first. */
  readonly placesVersion: number
}

/** Connections with their tokens and codes, and the consent requests that lead to them. */
export class ConnectionStore extends Context.Tag("@place-access/domain/connection/ConnectionStore")<
  ConnectionStore,
  {
    /** Stores an open request. */
    readonly createRequest: (request: ConsentRequest) => Effect.Effect<void, StoreError>
    /** None when there is none. */
    readonly findRequest: (id: ConsentRequestId) => Effect.Effect<Option.Option<ConsentRequest>, StoreError>

    /**
     * Locks the request and the pair of user and app, then reads the clock, then decides. `decide` returns what came of
     * it and, for an approval, what to store. Two tabs of one user and app queue up here. None when there is no request.
     */
    readonly decideRequest: <A>(
      id: ConsentRequestId,
      userId: UserId,
      decide: (state: ApprovalState, now: Timestamp) => RequestDecision<A>
    ) => Effect.Effect<Option.Option<A>, StoreError>

    /**
     * One read: the connection with its app and the access token. None when the token was never issued for that
     * connection; expired, revoked and ended ones are returned, because the access log names them.
     */
    readonly findByAccessToken: (
      id: ConnectionId,
      hash: Hash
    ) => Effect.Effect<Option.Option<WithApp & { readonly token: AccessToken }>, StoreError>

    /**
     * Locks the connection's row first, then reads the tokens asked for, then the clock, then decides and writes
     * (decision O8). None when there is no such connection. `decide` is a plain function.
     */
    readonly change: <A>(
      id: ConnectionId,
      asked: { readonly code?: Hash; readonly refresh?: Hash; readonly access?: Hash },
      decide: (state: Locked, now: Timestamp) => Decision<A>
    ) => Effect.Effect<Option.Option<A>, StoreError>

    /**
     * Locks the connections that share the place, by id, and then the place, reads the clock, decides and writes: first the
     * place, so that rules on it are disabled. None when there is no such place, or it is another user's.
     */
    readonly archivePlace: <A>(
      userId: UserId,
      placeId: PlaceId,
      decide: (state: Sharing, now: Timestamp) => ArchiveDecision<A>
    ) => Effect.Effect<Option.Option<A>, StoreError>

    /** None when there is none, or it is another user's. */
    readonly findOfUser: (userId: UserId, id: ConnectionId) => Effect.Effect<Option.Option<WithApp>, StoreError>
    /** None when there is none, or it is another app's. */
    readonly findOfApp: (appId: AppId, id: ConnectionId) => Effect.Effect<Option.Option<Connection>, StoreError>
    /** The one that has not ended; its standard tier may have passed. */
    readonly findLive: (userId: UserId, appId: AppId) => Effect.Effect<Option.Option<Connection>, StoreError>
    /** Newest first, ended ones included. */
    readonly listOfUser: (userId: UserId) => Effect.Effect<ReadonlyArray<WithApp>, StoreError>
    /** Newest first, ended ones included; `after` is a position of an earlier page. */
    readonly listOfApp: (
      appId: AppId,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<Connection>, StoreError>
    /** Connections that have not ended although their app was revoked, by id; of one app, or of all. */
    readonly listRevoked: (asked: {
      readonly appId: AppId | undefined
      readonly limit: number
      /** Go on after this one. */
      readonly after: ConnectionId | undefined
    }) => Effect.Effect<ReadonlyArray<ConnectionId>, StoreError>
  }
>() {}
