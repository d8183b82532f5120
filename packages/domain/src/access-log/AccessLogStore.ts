import { Context, type Effect } from "effect"
import type { AppId, ConnectionId, UserId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"

export interface Filter {
  readonly appId?: AppId | undefined
  readonly purpose?: string | undefined
  /** Inclusive. */
  readonly from?: Timestamp | undefined
  /** Exclusive. */
  readonly to?: Timestamp | undefined
}

/** By which an entry of a user is found without looking through the others. */
export type Key = Pick<AccessLogEntry, "at" | "id">

/** How often an app was answered about one user under one purpose; null: under none, as for everything but coordinates. */
export interface Uses {
  readonly purpose: string | null
  readonly count: number
}

/** A connection whose last answer is looked for. */
export interface Asked {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /** Nothing later is looked at: when the connection ended. Null: until now. */
  readonly until: Timestamp | null
}

/** What apps asked and learnt about each user, as the user may read it. */
export class AccessLogStore extends Context.Tag("@place-access/domain/access-log/AccessLogStore")<
  AccessLogStore,
  {
    /**
     * Returns once the entry is committed. Entries of requests in flight may share one statement. Idempotent by (user, time,
     * id): an event that goes to two endpoints is recorded twice and kept once.
     */
    readonly record: (entry: AccessLogEntry) => Effect.Effect<void, StoreError>
    /** As `record`, but nothing when the user has an entry of one of these keys. One that is written at this moment may not be seen. */
    readonly recordUnless: (entry: AccessLogEntry, keys: ReadonlyArray<Key>) => Effect.Effect<void, StoreError>
    /** Newest first, equal times by id downwards. */
    readonly list: (
      userId: UserId,
      filter: Filter,
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<AccessLogEntry>, StoreError>
    /** Answered requests and events since `from`, inclusive; refused ones disclosed nothing. Most used first, then by purpose. */
    readonly countUses: (
      userId: UserId,
      appId: AppId,
      from: Timestamp
    ) => Effect.Effect<ReadonlyArray<Uses>, StoreError>
    /** When each connection was last answered; one that never was is left out. */
    readonly lastAnswered: (
      userId: UserId,
      asked: ReadonlyArray<Asked>
    ) => Effect.Effect<ReadonlyMap<ConnectionId, Timestamp>, StoreError>
  }
>() {}
