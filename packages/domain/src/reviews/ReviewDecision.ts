import { Schema } from "effect"
import type { MailMessage } from "../mail/Mail.js"
import type { AppId, ReviewDecisionId, Timestamp, UserId } from "../shared/index.js"

/** What a reviewer or an admin decided (decision P2). */
export const ReviewKind = Schema.Literal("approved", "rejected", "narrowed", "revoked")
export type ReviewKind = typeof ReviewKind.Type

/**
 * Who decided what, when and why. It is kept without a limit and never changed. `Subject` is the thing that was decided
 * about, in its state after the decision: an `AppUnderReview` or a `PurposeUnderReview`.
 */
export interface ReviewDecision<Subject> {
  readonly id: ReviewDecisionId
  readonly appId: AppId
  readonly subject: Subject
  readonly kind: ReviewKind
  readonly note: string | null
  readonly by: UserId
  readonly at: Timestamp.Timestamp
}

/** A decision and its mail, committed together with the change. */
export interface RecordedDecision<Subject> {
  readonly decision: ReviewDecision<Subject>
  /** The mail to the developer. */
  readonly mail: MailMessage
}

/** The key of the mail: one mail for each decision. */
export const mailKey = ({ id }: Pick<ReviewDecision<unknown>, "id">): string => `review ${id}`
