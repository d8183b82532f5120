// The port of listeners. Decisions listeners-4 and listeners-5.
import { Context, type Option } from "effect"
import type { AppId, EventId, ListenerId, StoreEffect } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Listener, ListenerDelivery } from "./Listener.js"

/**
 * Stores listeners, and the events that wait for them, usually for less than a second. Changes for one app run one
 * after another, so that the store knows for each event whether a receiver got it. An event is lost when no receiver
 * got it and none will get it. `offer` and `close` return the lost events, because the user's access log needs an entry
 * for each of them.
 */
export class ListenerStore extends Context.Tag("@place-access/domain/listeners/ListenerStore")<
  ListenerStore,
  {
    /**
     * Stores a listener under the app's lock. Returns false when the app already has `MAX_PER_APP` listeners that count
     * as present.
     */
    readonly open: (listener: Listener) => StoreEffect<boolean>
    /**
     * The app's listeners that count as present at `now`, oldest first; listeners that were created at the same time
     * are ordered by id.
     */
    readonly live: (appId: AppId, now: Timestamp) => StoreEffect<ReadonlyArray<Listener>>
    /**
     * Moves `seenUntil` forward. Returns false when the listener was removed or was not present at `now`: such a
     * listener cannot become present again.
     */
    readonly renew: (appId: AppId, id: ListenerId, now: Timestamp, seenUntil: Timestamp) => StoreEffect<boolean>
    /**
     * Stores events for listeners of one app, idempotently. When more than `MAX_WAITING` events wait for a listener,
     * drops the oldest and counts the dropped events. Returns the lost events, including events for listeners that were
     * removed meanwhile.
     */
    readonly offer: (rows: ReadonlyArray<ListenerDelivery>) => StoreEffect<ReadonlyArray<ListenerDelivery>>
    /**
     * At most `limit` waiting events in the order `Listener.oldestFirst`, and how many dropped events the stream has
     * not reported yet (`take`). None when the listener was removed.
     */
    readonly waiting: (
      appId: AppId,
      id: ListenerId,
      limit: number
    ) => StoreEffect<Option.Option<{ readonly events: ReadonlyArray<ListenerDelivery>; readonly dropped: number }>>
    /**
     * Takes events that are about to be sent: they no longer wait for this listener, and other listeners' rows of the
     * same events are marked as having another receiver (`hasReceiver`). Subtracts `dropped`, the number of dropped
     * events that the stream is about to report, from the number of dropped events. Returns the ids of those events
     * that were still waiting.
     */
    readonly take: (
      appId: AppId,
      id: ListenerId,
      events: ReadonlyArray<EventId>,
      dropped: number
    ) => StoreEffect<ReadonlySet<EventId>>
    /** Removes the listener and its waiting events. Idempotent. Returns the lost events, the oldest first. */
    readonly close: (appId: AppId, id: ListenerId) => StoreEffect<ReadonlyArray<ListenerDelivery>>
    /** At most `limit` listeners of any app that are not present at `now`, ordered by `seenUntil` and then by id. */
    readonly expired: (now: Timestamp, limit: number) => StoreEffect<ReadonlyArray<Pick<Listener, "appId" | "id">>>
  }
>() {}
