// The submission of an app or a purpose to a reviewer (decision reviews-3).
import { Conflict } from "../shared/Errors.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** A submission that waits for a reviewer. */
export interface Submission {
  readonly at: Timestamp
  /** The submitted revision. */
  readonly revision: number
}

/** Something that can be submitted for review: an app or a purpose. */
export interface Submittable {
  /** A number that begins with 1 and grows with each change to what a reviewer reads. */
  readonly revision: number
  /** The submission while it waits for a decision; otherwise null. */
  readonly submission: Submission | null
}

/** A submission of the present revision. A later edit keeps the submission, and with it the place in the queue. */
export const of = ({ revision }: Pick<Submittable, "revision">, now: Timestamp): Submission => ({ at: now, revision })

/**
 * A decision is about one revision: the one that the reviewer names, or else the present one. `Conflict` when there is
 * a newer revision than the named one, which the reviewer has not read. Undefined when the revision is the present one.
 */
export const outdated = ({ revision }: Pick<Submittable, "revision">, named = revision): Conflict | undefined =>
  named === revision ? undefined : new Conflict({ reason: CHANGED })

export const CHANGED = "it was changed meanwhile: read it again, and name the revision that the decision is about"
