import { Context } from "effect"
import type { EventId, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { RetentionKind } from "./Retention.js"

/**
 * The position of an event in the order in which a sweep reads events: by the time of the fan-out, then by user, then
 * by id.
 */
export interface EventPlace {
  readonly fannedOutAt: Timestamp.Timestamp
  readonly userId: UserId
  readonly id: EventId
}

/** Deletes rows that are kept for a limited time. */
export class RetentionStore extends Context.Tag("@place-access/domain/sweeps/RetentionStore")<
  RetentionStore,
  {
    /**
     * Deletes at most `limit` rows of a kind, oldest first, and returns their number. It deletes rows whose retention
     * period (`RetentionKind`) began at `until` or earlier. It skips rows that another transaction has locked; on a
     * cluster it waits for these rows.
     */
    readonly remove: (kind: RetentionKind, until: Timestamp.Timestamp, limit: number) => StoreEffect<number>

    /**
     * Examines the next `limit` events of the outbox after the position `after` that were fanned out at `until` or
     * earlier. Deletes the examined events that have no delivery left, perhaps without those that are locked. Returns
     * the number of deleted events, and `next`, the position after which the next call goes on; `next` is undefined at
     * the end of the events. Without `after`, each call would again examine the events that stayed.
     */
    readonly removeEvents: (
      until: Timestamp.Timestamp,
      limit: number,
      after: EventPlace | undefined
    ) => StoreEffect<{ readonly removed: number; readonly next: EventPlace | undefined }>
  }
>() {}
