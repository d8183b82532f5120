import { Either } from "effect"
import * as Submission from "../reviews/Submission.js"
import type { Verdict } from "../reviews/Verdict.js"
import { Conflict } from "../shared/Invalid.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { type Archived, type Live, normalised, type Purpose, sameTerms, type Terms } from "./Purpose.js"

/**
 * The life of a purpose after `Purpose.draft` (Spec §3.2, decision P1; drawn in docs/state-machines.md). Every function takes
 * what is and gives what is from now on; a step that is not on the table is a `Conflict` and changes nothing.
 */
type Step = Either.Either<Purpose, Conflict>

const refused = (reason: string): Step => Either.left(new Conflict({ reason }))

export const ARCHIVED = "the purpose is archived, which is final"
export const NOT_IN_REVIEW = "the purpose is not in review"

/** What the developer can change; left out: stays as it is. The key is the purpose's for ever. */
export interface Edit {
  readonly description?: Terms["description"] | undefined
  readonly scopes?: Terms["scopes"] | undefined
  readonly expectedDailyVolume?: Terms["expectedDailyVolume"] | undefined
}

/**
 * A draft stays one, a rejected purpose becomes one, an approved one goes into review. In review the newest wording is what the
 * reviewer reads. What was approved stays in force through all of it; going back to it needs nobody's approval. Saying what is
 * there already changes nothing.
 */
export const edit = (purpose: Purpose, change: Edit, now: Timestamp): Step => {
  if (purpose.status === "archived") return refused(ARCHIVED)
  const terms = normalised({
    description: change.description ?? purpose.terms.description,
    scopes: change.scopes ?? purpose.terms.scopes,
    expectedDailyVolume: change.expectedDailyVolume ?? purpose.terms.expectedDailyVolume
  })
  if (sameTerms(terms, purpose.terms)) return Either.right(purpose)
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

/** From draft or rejected. */
export const submit = (purpose: Purpose, now: Timestamp): Step => {
  if (purpose.status === "archived") return refused(ARCHIVED)
  switch (purpose.status) {
    case "draft":
    case "rejected":
      return Either.right(handedIn(purpose, now))
    case "in_review":
      return refused("the purpose is in review already")
    case "approved":
      return refused("the purpose is approved as it is; an edit of it goes into review by itself")
  }
}

const handedIn = (purpose: Live, now: Timestamp): Live => ({
  ...purpose,
  status: "in_review",
  reviewNote: null,
  submission: Submission.of(purpose, now)
})

/** A rejection takes nothing away: the wording that was approved before goes on working. */
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

/** Final, from any state; the key stays taken. Idempotent: the first time counts. */
export const archive = (purpose: Purpose, now: Timestamp): Archived =>
  purpose.status === "archived" ? purpose : { ...purpose, status: "archived", archivedAt: now, submission: null }
