import { Context, type Option } from "effect"
import type { StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { Erasure, Stretch } from "./Erasure.js"
import type { Keep } from "./History.js"

/** A span of history; null leaves an end open. */
export interface Between {
  /** Exclusive: this instant no longer counts. */
  readonly after: Timestamp.Timestamp | null
  /** Inclusive: this instant counts. */
  readonly until: Timestamp.Timestamp | null
}

/** How much history a user has in a span. */
export interface Extent {
  readonly fixes: number
  /**
   * The visits whose departure is in the span, both those that a phone reported and those that are derived from fixes.
   * A visit without a departure counts when the span has no end.
   */
  readonly visits: number
  /** The oldest fix; null when there is none. */
  readonly oldestAt: Timestamp.Timestamp | null
}

/** The moments that decide what is deleted. `accessLogUntil` is inclusive. */
export interface Moments {
  /** The moment from which each user's number of days counts back (`History.cutoff`). */
  readonly now: Timestamp.Timestamp
  readonly accessLogUntil: Timestamp.Timestamp
}

/**
 * Each user's choice, and the history that the user no longer keeps. The age of history counts from: the capture of a
 * fix, the receipt of a quarantined reading, the departure of a visit, the newest reading of a device's resting place
 * (`Device.movement`). A visit without a departure stays while its phone sends readings newer than the cutoff; a visit
 * that a phone reported goes when the same phone reported a later visit that is past the cutoff. The access log has a
 * limit of its own. Decision retention-choice-3.
 */
export class HistoryStore extends Context.Tag("@place-access/domain/retention-choice/HistoryStore")<
  HistoryStore,
  {
    /** The user's choice. None when the user never chose. */
    readonly choice: (userId: UserId) => StoreEffect<Option.Option<Keep>>
    /** Stores the user's choice. */
    readonly choose: (userId: UserId, keep: Keep, at: Timestamp.Timestamp) => StoreEffect<void>
    /** How much history the user has between two moments. */
    readonly survey: (userId: UserId, within: Between) => StoreEffect<Extent>
    /**
     * Examines the next `limit` users and returns those who have history to delete. `next` is the `after` of the next
     * call; undefined at the end.
     */
    readonly listOverdue: (
      moments: Moments,
      limit: number,
      after: UserId | undefined
    ) => StoreEffect<{ readonly overdue: ReadonlyArray<UserId>; readonly next: UserId | undefined }>
    /** The stretches that the user deleted, by time. No two of them touch. */
    readonly erasures: (userId: UserId) => StoreEffect<ReadonlyArray<Erasure>>
    /**
     * Deletes the user's history of a stretch and stores the stretch (`Erasure.add`), in one transaction. Deleted are
     * fixes, quarantined readings with a time in the stretch, visits (`Erasure.withoutErased`, `Erasure.cutOff`),
     * resting places of devices, evaluations of rules, and the sides of rules from that time
     * (`RuleEvaluation.without`). Stays are derived again from the beginning of the stretch, and the version of the
     * user's uploads rises. Returns false and deletes nothing when the user would have more than `Erasure.MOST`
     * stretches. Idempotent.
     */
    readonly erase: (userId: UserId, stretch: Stretch, at: Timestamp.Timestamp) => StoreEffect<boolean>
    /**
     * Deletes at most `limit` rows of each kind that are older than the user keeps, oldest first, and returns their
     * number. It skips locked rows.
     */
    readonly removePast: (userId: UserId, moments: Moments, limit: number) => StoreEffect<number>
  }
>() {}
