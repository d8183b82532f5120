import { Context, type Effect, type Option } from "effect"
import type { AppId, EventId, ListenerId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Listener, Waiting } from "./Listener.js"

/**
 * Who listens, and what waits for them: seconds old, and gone with them. Of each app the changes queue up, so that it is known of
 * every event whether somebody was told. What a method answers as lost was told nobody and will not be.
 */
export class ListenerStore extends Context.Tag("@place-access/domain/listeners/ListenerStore")<
  ListenerStore,
  {
    /** Counts those that are seen when it is made, and stores, under one lock of the app. False when there are `MAX_PER_APP`. */
    readonly open: (listener: Listener) => Effect.Effect<boolean, StoreError>
    /** Those that are seen at `now`. */
    readonly live: (appId: AppId, now: Timestamp) => Effect.Effect<ReadonlyArray<Listener>, StoreError>
    /** False when it is gone, or was not seen at `now` any more: then it does not come back. */
    readonly renew: (
      appId: AppId,
      id: ListenerId,
      now: Timestamp,
      seenUntil: Timestamp
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Idempotent by (listener, event). Of a listener with more than `MAX_WAITING` the oldest are dropped and counted. All of one
     * app. Answers what was lost, that for listeners who have gone included.
     */
    readonly offer: (rows: ReadonlyArray<Waiting>) => Effect.Effect<ReadonlyArray<Waiting>, StoreError>
    /** What waits, in order, and how many were dropped and not told of yet. None when the listener is gone. */
    readonly waiting: (
      appId: AppId,
      id: ListenerId,
      limit: number
    ) => Effect.Effect<Option.Option<{ readonly events: ReadonlyArray<Waiting>; readonly dropped: number }>, StoreError>
    /**
     * They are about to be sent: they wait no more, and other listeners' rows of the same events know that somebody is told. Tells of
     * `dropped`. Answers those that still waited.
     */
    readonly take: (
      appId: AppId,
      id: ListenerId,
      events: ReadonlyArray<EventId>,
      dropped: number
    ) => Effect.Effect<ReadonlySet<EventId>, StoreError>
    /** With all that waits for it. Idempotent. Answers what was lost. */
    readonly close: (appId: AppId, id: ListenerId) => Effect.Effect<ReadonlyArray<Waiting>, StoreError>
    /** Up to `limit` that are not seen at `now`, of whatever app. */
    readonly expired: (
      now: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Pick<Listener, "appId" | "id">>, StoreError>
  }
>() {}
