// The port of listeners. Decisions listeners-4 and listeners-5.
import { Context, type Option } from "effect"
import type { AppId, EventId, ListenerId, StoreEffect } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Listener, ListenerDelivery } from "./Listener.js"

/**
 * Listeners and the events that wait for them, for seconds only. Changes for one app run one after another, so that
 * the store knows of every event whether a receiver got it. An event that no receiver got or will get is lost. `offer`
 * and `close` return the lost events, because the user's access log needs an entry for each of them.
 */
export class ListenerStore extends Context.Tag("@place-access/domain/listeners/ListenerStore")<
  ListenerStore,
  {
    /** Stores a listener under the app's lock. False when `MAX_PER_APP` listeners of the app are present. */
    readonly open: (listener: Listener) => StoreEffect<boolean>
    /** The listeners that are present at `now`, the oldest first; those of one instant by their ids. */
    readonly live: (appId: AppId, now: Timestamp) => StoreEffect<ReadonlyArray<Listener>>
    /** Moves `seenUntil` forward. False: the listener was removed or not present at `now`, and cannot come back. */
    readonly renew: (appId: AppId, id: ListenerId, now: Timestamp, seenUntil: Timestamp) => StoreEffect<boolean>
    /**
     * Stores events for listeners of one app, idempotently. When more than `MAX_WAITING` wait for a listener, drops and
     * counts the oldest. Returns the lost events, those for removed listeners included.
     */
    readonly offer: (rows: ReadonlyArray<ListenerDelivery>) => StoreEffect<ReadonlyArray<ListenerDelivery>>
    /**
     * At most `limit` waiting events in the order `Listener.oldestFirst`, and how many events were dropped and not yet
     * reported (`take`). None when the listener was removed.
     */
    readonly waiting: (
      appId: AppId,
      id: ListenerId,
      limit: number
    ) => StoreEffect<Option.Option<{ readonly events: ReadonlyArray<ListenerDelivery>; readonly dropped: number }>>
    /**
     * Takes events that are about to be sent: they no longer wait, and the rows of other listeners about the same
     * events are marked as received. Subtracts `dropped` from the number of dropped events. Returns the events that
     * were still waiting.
     */
    readonly take: (
      appId: AppId,
      id: ListenerId,
      events: ReadonlyArray<EventId>,
      dropped: number
    ) => StoreEffect<ReadonlySet<EventId>>
    /** Removes the listener and its waiting events. Idempotent. Returns the lost events, the oldest first. */
    readonly close: (appId: AppId, id: ListenerId) => StoreEffect<ReadonlyArray<ListenerDelivery>>
    /** At most `limit` listeners of any app that are not present at `now`: the longest gone first, then by id. */
    readonly expired: (now: Timestamp, limit: number) => StoreEffect<ReadonlyArray<Pick<Listener, "appId" | "id">>>
  }
>() {}
