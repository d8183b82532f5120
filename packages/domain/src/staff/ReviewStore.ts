// The port of reviewers' lists (decision reviews-2).
import { Context, Schema } from "effect"
import type { App } from "../apps/App.js"
import * as AppReview from "../apps/AppReview.js"
import type { EndReason } from "../connection/Connection.js"
import type { Purpose } from "../purposes/Purpose.js"
import * as PurposeReview from "../purposes/PurposeReview.js"
import type { ReviewDecision } from "../reviews/ReviewDecision.js"
import type { Submission } from "../reviews/Submission.js"
import type { AppId, ConnectionId, Page, StoreEffect, Timestamp } from "../shared/index.js"

/** An app, or one of its purposes, that waits for a reviewer. */
export interface WaitingSubmission {
  readonly submission: Submission
  readonly app: App
  /** The purpose that waits; null when the app itself waits. */
  readonly purpose: Purpose | null
}

/**
 * A connection for which a spent refresh token or an exchanged code was presented again. Reviewers do not see who the
 * user is.
 */
export interface Leaked {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /** When a spent token or code of the connection was last presented again. */
  readonly flaggedAt: Timestamp.Timestamp
  /**
   * Why the connection ended; null while it has not ended. When the connection had ended before the leak, this is the
   * reason of the earlier end.
   */
  readonly endReason: EndReason | null
}

/** The queue of reviews, and past decisions. `AppStore.update` and `PurposeStore.update` write the decisions. */
export class ReviewStore extends Context.Tag("@place-access/domain/staff/ReviewStore")<
  ReviewStore,
  {
    /**
     * Submissions that wait for a reviewer, the longest waiting first, then by id. Archived purposes, and revoked apps
     * with their purposes, are left out.
     */
    readonly queue: (limit: number, after: Page.PagePosition | undefined) => StoreEffect<Page.Page<WaitingSubmission>>
    /** Decisions about the app and its purposes, newest first, then by descending id. */
    readonly decisions: (
      appId: AppId,
      limit: number,
      after: Page.PagePosition | undefined
    ) => StoreEffect<Page.Page<AnyReviewDecision>>
    /** Connections with a leak, except connections of test people: newest leak first, then by descending id. */
    readonly leaks: (limit: number, after: Page.PagePosition | undefined) => StoreEffect<Page.Page<Leaked>>
  }
>() {}

/** The subject of a review decision. */
export const ReviewSubject: Schema.Union<[typeof AppReview.AppUnderReview, typeof PurposeReview.PurposeUnderReview]> =
  Schema.Union(AppReview.AppUnderReview, PurposeReview.PurposeUnderReview)
export type ReviewSubject = typeof ReviewSubject.Type

/** A decision about an app or about a purpose. */
export type AnyReviewDecision = ReviewDecision<ReviewSubject>
