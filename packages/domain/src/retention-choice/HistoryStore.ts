import { Context, type Option } from "effect"
import type { StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { Erasure, Stretch } from "./Erasure.js"
import type { Keep } from "./History.js"

/** A span of history. Null: the span has no beginning, or no end. */
export interface Between {
  /** Exclusive: history at this instant is left out. */
  readonly after: Timestamp.Timestamp | null
  /** Inclusive: this instant counts. */
  readonly until: Timestamp.Timestamp | null
}

/** How much history a user has in a span. */
export interface Extent {
  readonly fixes: number
  /**
   * The number of visit reports and stays with a departure in the span. Stays that are too short to be shown count too.
   * A report or stay without a departure counts only when the span has no end. A stay of an imported file ends with the
   * file's newest entry at the latest.
   */
  readonly visits: number
  /** The oldest fix; null when there is none. */
  readonly oldestAt: Timestamp.Timestamp | null
}

/** The times that decide what a sweep deletes. */
export interface DeletionTimes {
  /** The present time, from which each user's number of days is counted back (`History.cutoff`). */
  readonly now: Timestamp.Timestamp
  readonly accessLogUntil: Timestamp.Timestamp
}

/**
 * Stores each user's choice of how long history is kept, and deletes older history: everything up to the cutoff
 * (`History.cutoff`). For each kind of row, the store compares one time with the cutoff (decision retention-choice-3):
 * - of a fix, the capture time
 * - of a quarantined reading, the time of receipt
 * - of a visit, the departure; a visit without a departure is kept as long as its phone sent something after the
 *   cutoff, or its imported file contains something after the cutoff
 * - of a stay of an imported file, at the latest the time of the file's newest entry
 * - of the resting place of a device (`Device.movement`), the time of its newest reading
 *
 * One exception: a visit without a departure is deleted although its phone still sends, if the phone itself reported
 * this visit, and later reported another arrival or departure that is also older than the cutoff. The phone had left
 * the place of the visit before the later report. The access log has a separate limit (`DeletionTimes.accessLogUntil`).
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
     * Examines the next `limit` users after `after`, and returns the users who have history, or entries of the access
     * log, that a sweep must delete. `next` is the `after` of the next call; undefined when all users were examined.
     */
    readonly listOverdue: (
      moments: DeletionTimes,
      limit: number,
      after: UserId | undefined
    ) => StoreEffect<{ readonly overdue: ReadonlyArray<UserId>; readonly next: UserId | undefined }>
    /** The stretches that the user deleted, ordered by time. Stretches that touch are merged. */
    readonly erasures: (userId: UserId) => StoreEffect<ReadonlyArray<Erasure>>
    /**
     * Deletes the user's history of a stretch and stores the stretch (`Erasure.add`), in one transaction. Idempotent.
     * Returns false and deletes nothing when the user would have more than `Erasure.MOST` stretches.
     *
     * The store deletes fixes, quarantined entries that may come from the stretch (`Erasure.mayComeFrom`), visits
     * (`Erasure.withoutErased`, `Erasure.cutOff`), resting places of devices, and evaluations of rules. A reading from
     * the future (`FutureReading`) is quarantined because its capture time is too far after its arrival. When the store
     * deletes one, it also deletes those of the same device that arrived earlier or at the same time: the deleted
     * reading may be the reason why they stayed in quarantine (`FutureReading.undisputed`). Rules also forget on which
     * side of their circles the user was in the stretch (`RuleEvaluation.without`). Stays are derived again from the
     * beginning of the stretch. The version of the user's uploads is raised, so that an upload in progress must read
     * the stretch before it can commit.
     */
    readonly erase: (userId: UserId, stretch: Stretch, at: Timestamp.Timestamp) => StoreEffect<boolean>
    /**
     * Deletes history up to the user's cutoff, and entries of the access log up to `accessLogUntil`: at most `limit`
     * rows of each kind, oldest first. Returns the number of deleted rows. Rows that another transaction has locked are
     * left for the next run.
     */
    readonly removePast: (userId: UserId, moments: DeletionTimes, limit: number) => StoreEffect<number>
  }
>() {}
