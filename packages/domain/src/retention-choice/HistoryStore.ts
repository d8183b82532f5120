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

/** How much history there is. */
export interface Extent {
  readonly fixes: number
  /**
   * Visits by departure, whether a phone reported them or they are derived from fixes. Open visits count when the span
   * is open at its end.
   */
  readonly visits: number
  /** The oldest fix; null when there is none. */
  readonly oldestAt: Timestamp.Timestamp | null
}

/** The moments that decide what is deleted. `accessLogUntil` is inclusive. */
export interface Moments {
  /** The moment from which the choices count back (`History.cutoff`). */
  readonly now: Timestamp.Timestamp
  readonly accessLogUntil: Timestamp.Timestamp
}

/**
 * Each user's choice, and the history that the user no longer keeps. The age of history counts from: the capture of a
 * fix, the receipt of a quarantined reading, the departure of a visit, the newest reading of a device's resting place
 * (`Device.movement`). An open visit stays while its phone reports, unless the phone said at an earlier moment that it
 * was elsewhere. The access log has a limit of its own. Decision retention-choice-3.
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
    /** Of the next `limit` users, those with history to delete. `next` continues; undefined at the end. */
    readonly listOverdue: (
      moments: Moments,
      limit: number,
      after: UserId | undefined
    ) => StoreEffect<{ readonly overdue: ReadonlyArray<UserId>; readonly next: UserId | undefined }>
    /** The stretches that the user deleted, by time. None of them touch. */
    readonly erasures: (userId: UserId) => StoreEffect<ReadonlyArray<Erasure>>
    /**
     * Deletes the user's history of a stretch and remembers the stretch (`Erasure.add`), in one transaction: fixes,
     * quarantined readings with a time in it, visits (`Erasure.withoutErased`, `Erasure.cutOff`), resting places of
     * devices, evaluations of rules, and the sides that rules remember from it (`RuleEvaluation.without`). Stays are
     * derived again from its beginning, and the version of the user's uploads rises. False, and nothing is changed:
     * there would be more than `Erasure.MOST`. Idempotent.
     */
    readonly erase: (userId: UserId, stretch: Stretch, at: Timestamp.Timestamp) => StoreEffect<boolean>
    /** Deletes and counts at most `limit` rows of each kind past the choice, oldest first; skips locked rows. */
    readonly removePast: (userId: UserId, moments: Moments, limit: number) => StoreEffect<number>
  }
>() {}
