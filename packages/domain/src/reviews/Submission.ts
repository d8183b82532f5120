// The submission of an app or a purpose to a reviewer (decision reviews-3).
import { Either } from "effect"
import { type Account, type AddressRule, countsAsConfirmed, UNCONFIRMED } from "../accounts/Account.js"
import { Conflict, Forbidden } from "../shared/Errors.js"
import { isOutdatedRevision, type ShownState } from "../shared/OutdatedForm.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** A submission that waits for a reviewer. */
export interface Submission {
  readonly at: Timestamp
  /** The revision that was submitted (`Submittable.revision`). */
  readonly revision: number
}

/** Something that can be submitted for review: an app or a purpose. */
export interface Submittable {
  /** A number that begins with 1 and grows with each change to what a reviewer reads. */
  readonly revision: number
  /** The submission that waits for a decision; null when none waits. */
  readonly submission: Submission | null
}

/**
 * A submission of the present revision. A later edit of the app or purpose keeps the submission and its place in the
 * queue, unless nothing is left to review.
 */
export const of = ({ revision }: Pick<Submittable, "revision">, now: Timestamp): Submission => ({ at: now, revision })

/**
 * Refuses a change by an account without a confirmed address, if a submission waits after the change (decision
 * accounts-11). It makes no difference whether the submission already waited before the change. Otherwise the account
 * could edit an earlier submission, and a reviewer would read a content that the account may not submit.
 */
export const admit =
  <A extends Submittable>(account: Account, rule: AddressRule, before: A) =>
  (after: A): Either.Either<A, Forbidden> =>
    after !== before && after.submission !== null && !countsAsConfirmed(account, rule)
      ? Either.left(new Forbidden({ reason: UNCONFIRMED }))
      : Either.right(after)

/**
 * Checks that a decision is about the present revision. Returns `Conflict` when the reviewer names another revision,
 * because the reviewer has not read the present revision. Returns undefined when the decision is allowed.
 */
export const outdated = (present: Pick<Submittable, "revision">, named: ShownState<number>): Conflict | undefined =>
  isOutdatedRevision(present, named) ? new Conflict({ reason: CHANGED }) : undefined

export const CHANGED = "it was changed meanwhile: read it again, and name the revision that the decision is about"
