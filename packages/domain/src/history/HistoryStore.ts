import { Context, type Effect, type Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Keep } from "./History.js"

/** A stretch of history; null is open. */
export interface Between {
  /** Exclusive. */
  readonly after: Timestamp | null
  /** Inclusive. */
  readonly until: Timestamp | null
}

/** How much history there is. */
export interface Extent {
  readonly fixes: number
  /** That have ended, by their departure: told by the phone's system, or derived from fixes. */
  readonly visits: number
  /** The oldest fix; null when there is none. */
  readonly oldestAt: Timestamp | null
}

/** Up to which moments, these included, things are past. */
export interface Moments {
  /** What the choices are counted from (`History.cutoff`). */
  readonly now: Timestamp
  readonly accessLogUntil: Timestamp
}

/**
 * The user's choice and what is past it: a fix by its capture, what was put aside by its receipt, a visit by its departure, where a device rests
 * (`Device.movement`) by its newest reading. A visit
 * that is open stays as long as its phone sends and has not said, at a moment that is past, that it was elsewhere. The access log has a limit of its own.
 */
export class HistoryStore extends Context.Tag("@place-access/domain/history/HistoryStore")<
  HistoryStore,
  {
    /** None when the user never chose. */
    readonly choice: (userId: UserId) => Effect.Effect<Option.Option<Keep>, StoreError>
    /** Stores how long the user wants things kept. */
    readonly choose: (userId: UserId, keep: Keep, at: Timestamp) => Effect.Effect<void, StoreError>
    /** How much there is of the user between two moments. */
    readonly survey: (userId: UserId, within: Between) => Effect.Effect<Extent, StoreError>
    /**
     * Looks at the next `limit` people after `after` and answers those of them who have anything that is past. `next`: go on after
     * this one; undefined at the end.
     */
    readonly listOverdue: (
      moments: Moments,
      limit: number,
      after: UserId | undefined
    ) => Effect.Effect<{ readonly overdue: ReadonlyArray<UserId>; readonly next: UserId | undefined }, StoreError>
    /**
     * Deletes at most `limit` rows of each kind of what is past, the oldest first, by the choice as it is then, and answers how many
     * in all. Waits for nobody: what others hold is left for another time.
     */
    readonly removePast: (userId: UserId, moments: Moments, limit: number) => Effect.Effect<number, StoreError>
  }
>() {}
