// The decision that a reviewer sends in. Decisions reviews-1 and reviews-4.
import { Either, Schema } from "effect"
import { brand } from "../shared/Errors.js"
import { Invalid, type ShownState, Text } from "../shared/index.js"

export const ReviewerDecision = Schema.Literal("approve", "reject")
export type ReviewerDecision = typeof ReviewerDecision.Type

/**
 * A note to the owners of an app, by a reviewer or by an admin who revokes the app. The owners get the note by mail,
 * and the portal shows it.
 */
export const Note = Text.paragraphs(1, 1_000).pipe(brand("ReviewNote"))
export type Note = typeof Note.Type

/** A reviewer's decision (decisions §10). */
export interface Verdict {
  readonly decision: ReviewerDecision
  readonly note: Note | null
  /** The revision that the reviewer read. "unchecked": the reviewer names no revision (`Submission.outdated`). */
  readonly revision: ShownState<number>
}

/** Fails with `Invalid` for a rejection without a note, because a rejection must say what to change (Spec §3.2). */
export const check = (verdict: Verdict): Either.Either<Verdict, Invalid> =>
  verdict.decision === "reject" && verdict.note === null
    ? Either.left(Invalid.of("note", "is missing: a rejection says what to change"))
    : Either.right(verdict)
