// The transitions of a purpose. Decisions purposes-1 and purposes-4.
import { Either } from "effect"
import * as Submission from "../reviews/Submission.js"
import type { Verdict } from "../reviews/Verdict.js"
import { Conflict, isOutdatedRevision, OUTDATED_FORM, type ShownState, type Timestamp } from "../shared/index.js"
import { type Archived, type Live, normalised, type Purpose, sameTerms, type PurposeTerms } from "./Purpose.js"

/**
 * The result of a transition of a purpose: the purpose after the transition, or `Conflict` when the present status or
 * revision does not allow the transition (Spec §3.2, decision P1). packages/domain/docs/state-machines.md draws all
 * statuses and transitions.
 */
type Step = Either.Either<Purpose, Conflict>

const refused = (reason: string): Step => Either.left(new Conflict({ reason }))

export const ARCHIVED = "the purpose is archived, which is final"
export const NOT_IN_REVIEW = "the purpose is not in review"

/** The fields that the developer can change. A field that is left out stays as it is. The key never changes. */
export interface PurposeEdit {
  readonly description?: PurposeTerms["description"] | undefined
  readonly scopes?: PurposeTerms["scopes"] | undefined
  readonly expectedDailyVolume?: PurposeTerms["expectedDailyVolume"] | undefined
}

/**
 * Edits the terms. A draft stays a draft, a rejected purpose becomes a draft, and an approved purpose goes into review.
 * A purpose in review stays in review, and its reviewer sees the newest terms. Earlier approved terms stay in force
 * until a reviewer approves the edit. An edit back to the approved terms needs no review. An edit equal to the present
 * terms has no effect. Fails with `Conflict` for an archived purpose, and with `OUTDATED_FORM` when the form showed
 * another revision than the present one (`shown`) and the edit would change something (decision apps-11).
 */
export const edit = (
  purpose: Purpose,
  change: PurposeEdit,
  now: Timestamp.Timestamp,
  shown: ShownState<number>
): Step => {
  if (purpose.status === "archived") return refused(ARCHIVED)
  const terms = normalised({
    description: change.description ?? purpose.terms.description,
    scopes: change.scopes ?? purpose.terms.scopes,
    expectedDailyVolume: change.expectedDailyVolume ?? purpose.terms.expectedDailyVolume
  })
  if (sameTerms(terms, purpose.terms)) return Either.right(purpose)
  if (isOutdatedRevision(purpose, shown)) return refused(OUTDATED_FORM)
  const edited: Live = { ...purpose, terms, revision: purpose.revision + 1 }
  if (edited.approved !== null && sameTerms(terms, edited.approved)) {
    return Either.right({ ...edited, status: "approved", reviewNote: null, submission: null })
  }
  switch (purpose.status) {
    case "draft":
    case "in_review":
      return Either.right(edited)
    case "rejected":
      return Either.right({ ...edited, status: "draft" })
    case "approved":
      return Either.right(handedIn(edited, now))
  }
}

/**
 * Submits a draft or a rejected purpose for review. Fails with `Conflict` in any other state, and when the purpose has
 * another revision than the form showed (`shown`, as in `edit`).
 */
export const submit = (purpose: Purpose, now: Timestamp.Timestamp, shown: ShownState<number>): Step => {
  if (purpose.status === "archived") return refused(ARCHIVED)
  if (purpose.status === "in_review") return refused("the purpose is in review already")
  if (purpose.status === "approved") {
    return refused("the purpose is approved as it is; an edit of it goes into review by itself")
  }
  return isOutdatedRevision(purpose, shown) ? refused(OUTDATED_FORM) : Either.right(handedIn(purpose, now))
}

const handedIn = (purpose: Live, now: Timestamp.Timestamp): Live => ({
  ...purpose,
  status: "in_review",
  reviewNote: null,
  submission: Submission.of(purpose, now)
})

/**
 * Approves or rejects a purpose in review. After a rejection, the terms that were approved earlier stay in force. Fails
 * with `Conflict` when the purpose is not in review, or was changed after the revision that the verdict is about.
 */
export const decide = (purpose: Purpose, verdict: Verdict): Step => {
  if (purpose.status === "archived") return refused(ARCHIVED)
  if (purpose.status !== "in_review") return refused(NOT_IN_REVIEW)
  const outdated = Submission.outdated(purpose, verdict.revision)
  if (outdated !== undefined) return Either.left(outdated)
  const decided: Live = { ...purpose, reviewNote: verdict.note, submission: null }
  return Either.right(
    verdict.decision === "approve"
      ? { ...decided, status: "approved", approved: purpose.terms }
      : { ...decided, status: "rejected" }
  )
}

/**
 * Archives the purpose for good, from any state. No later purpose of the app can have the same key. Idempotent: a
 * repeated call keeps the time of the first call.
 */
export const archive = (purpose: Purpose, now: Timestamp.Timestamp): Archived =>
  purpose.status === "archived" ? purpose : { ...purpose, status: "archived", archivedAt: now, submission: null }
