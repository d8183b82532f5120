import { Schema } from "effect"
import * as AuditEvent from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import { type AppId, type PurposeId, type ReviewDecisionId, Timestamp, type UserId } from "../shared/index.js"
import type { Verdict } from "./Verdict.js"

/** The kinds of decisions of a reviewer or an admin (decision P2). */
export const ReviewKind = Schema.Literal("approved", "rejected", "narrowed", "revoked")
export type ReviewKind = typeof ReviewKind.Type

/**
 * The record of a review decision: who decided what, when and why. The record is kept for as long as the app exists. It
 * never changes, except that `by` becomes `AccountDeletion.NOBODY` when the account that decided is deleted. `Subject`
 * is the app or the purpose that was decided about, in its state after the decision (`AppUnderReview` or
 * `PurposeUnderReview`).
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

/**
 * A decision with its mails and its audit event. The store commits all of them together with the change of the app or
 * purpose.
 */
export interface RecordedDecision<Subject> {
  readonly decision: ReviewDecision<Subject>
  /** One mail for each owner of the app. */
  readonly mails: ReadonlyArray<MailMessage>
  readonly audit: AuditEvent.AuditEvent
}

/** The kind of the decision that records this verdict. */
export const kindOf = ({ decision }: Pick<Verdict, "decision">): ReviewKind =>
  decision === "approve" ? "approved" : "rejected"

/**
 * Whether `newest`, the newest decision about a subject, is the same verdict, which the same person sent less than a
 * minute ago. This happens when a reviewer presses the button twice: the second request finds no waiting submission,
 * and must not fail.
 */
export const isRepeated = (
  newest: Pick<ReviewDecision<unknown>, "kind" | "note" | "by" | "at">,
  by: UserId,
  verdict: Verdict,
  now: Timestamp.Timestamp
): boolean =>
  newest.by === by &&
  newest.kind === kindOf(verdict) &&
  newest.note === verdict.note &&
  now < Timestamp.plus(newest.at, Timestamp.MINUTE)

/** The audit event about a decision. `developer`: the app's holder, whose account the event is about. */
export const auditEvent = (
  { appId, at, by, kind }: ReviewDecision<unknown>,
  developer: UserId,
  purposeId: PurposeId | null
): AuditEvent.AuditEvent => ({
  at,
  userId: developer,
  actor: AuditEvent.actorOf(by, developer),
  detail: { kind: "review_decided", decision: kind, appId, purposeId }
})

/**
 * The `dedupeKey` of the mail about a decision. With this key, the outbox stores only one mail for each decision and
 * recipient.
 */
export const mailKey = ({ id }: Pick<ReviewDecision<unknown>, "id">): string => `review ${id}`
