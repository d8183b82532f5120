import { Context, type Option } from "effect"
import type { App } from "../apps/App.js"
import type { OutboxEvent } from "../events/Event.js"
import type { MailMessage } from "../mail/Mail.js"
import type { Place } from "../places/Place.js"
import type { AppId, ConnectionId, PlaceId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Connection, EndReason } from "./Connection.js"
import type { ConsentEntry } from "./ConsentEntry.js"
import type { Pause } from "./Pause.js"

/** A connection and its app. A decision about scopes, or about whether the connection is live, needs both. */
export interface WithApp {
  readonly connection: Connection
  readonly app: App
  /**
   * True while the account of the person or of the app's holder is suspended (decision staff-1), and while a test
   * person of an app that went to production is not removed yet (decision test-people-3). Every method that returns a
   * `WithApp` must set this field, because programs check only this field to refuse such a connection.
   */
  readonly isSuspended?: true
}

/** A connection that a change has locked, its app, and the user's places in any order. Archived places are included. */
export interface LockedConnection extends WithApp {
  readonly ownPlaces: ReadonlyArray<Place>
}

/**
 * A change to the rows of a connection. The writes of a decision are committed together. Changes to tokens are
 * `TokenStore.TokenWrite`.
 */
export type Write =
  /**
   * Ends the connection for good, revokes its tokens and deletes its legacy subscriptions. The app's rules about this
   * user no longer fire. Only the first end of a connection is stored.
   */
  | { readonly _tag: "End"; readonly reason: EndReason; readonly at: Timestamp }
  /** Marks the connection in the list that reviewers read, because its tokens or its code may have leaked. */
  | { readonly _tag: "Flag"; readonly at: Timestamp }
  /**
   * Puts a mail into the outbox. Nothing happens when a mail with the same `message.dedupeKey` was put there before.
   */
  | { readonly _tag: "Mail"; readonly message: MailMessage }
  /** Replaces the set of shared places. The decision chooses the new `placesVersion`. */
  | { readonly _tag: "SetPlaces"; readonly places: Connection["places"]; readonly placesVersion: number }
  /** Puts an event into the outbox. */
  | { readonly _tag: "Emit"; readonly event: OutboxEvent }
  /** Stores when the sweep of tiers next checks the connection; null: never (`SensitiveNotice.nextLook`). */
  | {
      readonly _tag: "LookAt"
      readonly at: Timestamp | null
      /**
       * If true, the store keeps the stored time when it is earlier than `at`. Otherwise a notice that is due at the
       * stored time, and that no sweep has sent yet, would be skipped.
       */
      readonly keepsEarlier?: boolean
    }
  /** Replaces the granted scopes. `sensitiveExpiresAt` is null without a sensitive scope. Tokens stay valid. */
  | {
      readonly _tag: "SetScopes"
      readonly heldScopes: Connection["heldScopes"]
      readonly sensitiveExpiresAt: Timestamp | null
      /** The scopes that the user can grant again from now on. Left out: unchanged. */
      readonly agreedScopes?: Connection["agreedScopes"]
    }
  /** Replaces the end of the standard tier; null: no end. */
  | { readonly _tag: "SetEnd"; readonly standardExpiresAt: Timestamp | null }
  | { readonly _tag: "SetPause"; readonly pause: Pause | null }
  /** Adds an entry to the consent history. */
  | { readonly _tag: "Record"; readonly entry: ConsentEntry }

/** The outcome of a decision, and the writes that the store must commit. */
export interface ConnectionDecision<A, W = Write> {
  readonly outcome: A
  readonly writes: ReadonlyArray<W>
}

/**
 * A place, and the connections that share the place and whose end is not stored, ordered by id. A connection in this
 * list may be over already (`Ending.ifOver`).
 */
export interface Sharing {
  readonly place: Place
  readonly sharedWith: ReadonlyArray<WithApp>
}

export interface ArchiveDecision<A> {
  readonly outcome: A
  /** The time to store as `archivedAt` of the place; null leaves the place as it is. */
  readonly archivedAt: Timestamp | null
  readonly writes: ReadonlyArray<{ readonly id: ConnectionId; readonly writes: ReadonlyArray<Write> }>
}

/** Connections: which scopes and places each user granted to each app, and until when. Tokens are in `TokenStore`. */
export class ConnectionStore extends Context.Tag("@place-access/domain/connection/ConnectionStore")<
  ConnectionStore,
  {
    /**
     * Locks the connection's row, reads the clock, calls `decide`, a plain function, and commits the writes that
     * `decide` returns (decision O8). Concurrent decisions wait for each other. The store reads the user's places after
     * it got the lock, so that a place that was archived before is never shared. None when there is no such connection.
     */
    readonly change: <A>(
      id: ConnectionId,
      decide: (state: LockedConnection, now: Timestamp) => ConnectionDecision<A>
    ) => StoreEffect<Option.Option<A>>

    /**
     * Locks all connections of the user whose end is not stored, in the order of their ids, and then the place.
     * Connections that do not share the place are locked too: otherwise one of them could begin to share the place
     * before the place is locked, and would keep its `placesVersion`. Reads the clock, calls `decide` and commits the
     * writes that `decide` returns. The place is written first: the write of a connection then finds the place
     * archived, and disables the rules on the place. `sharedWith` may contain a connection that was made after
     * `archivePlace` locked the others. This connection has no lock, so `decide` must return no writes for this
     * connection. None when the user has no such place.
     */
    readonly archivePlace: <A>(
      userId: UserId,
      placeId: PlaceId,
      decide: (state: Sharing, now: Timestamp) => ArchiveDecision<A>
    ) => StoreEffect<Option.Option<A>>

    /** The user's connection, live or ended. None when the user has no connection of this id. */
    readonly findOfUser: (userId: UserId, id: ConnectionId) => StoreEffect<Option.Option<WithApp>>
    /** The app's connection, live or ended. None when the app has no connection of this id. */
    readonly findOfApp: (appId: AppId, id: ConnectionId) => StoreEffect<Option.Option<WithApp>>
    /** The last `limit` entries of the consent history, newest first. Empty for another user's connection. */
    readonly history: (userId: UserId, id: ConnectionId, limit: number) => StoreEffect<ReadonlyArray<ConsentEntry>>
    /**
     * The connection of this user and this app whose end is not stored. It may be over already: the end date of its
     * standard tier may have passed, or the app may be revoked.
     */
    readonly findLive: (userId: UserId, appId: AppId) => StoreEffect<Option.Option<Connection>>
    /** The user's connections, newest first. Ended connections are included. */
    readonly listOfUser: (userId: UserId) => StoreEffect<ReadonlyArray<WithApp>>
    /** The app's connections, newest first. Ended connections are included. */
    readonly listOfApp: (appId: AppId, limit: number, after: PagePosition | undefined) => StoreEffect<Page<Connection>>
    /** The revoked apps with connections whose end is not stored yet, ordered by id. */
    readonly revokedApps: StoreEffect<ReadonlyArray<AppId>>
    /**
     * The ids of the revoked app's connections whose end is not stored yet, ordered by id. None while the app is not
     * revoked.
     */
    readonly listRevoked: (query: {
      readonly appId: AppId
      readonly limit: number
      /** Only connections whose id is greater than this id are returned; undefined: all are returned. */
      readonly after: ConnectionId | undefined
    }) => StoreEffect<ReadonlyArray<ConnectionId>>
  }
>() {}
