import { Conflict } from "../shared/Invalid.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** What was handed in for review, and since when it waits. */
export interface Submission {
  readonly at: Timestamp
  /** The revision that was handed in. */
  readonly revision: number
}

/** What a reviewer can be asked about. */
export interface Submittable {
  /** 1 at first, one more with each change of what a reviewer reads. */
  readonly revision: number
  /** Not null exactly while it waits for a decision. */
  readonly submission: Submission | null
}

/** Waits as what it is at `now`; something that is changed while it waits keeps its turn. */
export const of = ({ revision }: Pick<Submittable, "revision">, now: Timestamp): Submission => ({ at: now, revision })

/**
 * A decision is about one state of the thing: the one that it names or, naming none, the one that was handed in. When it was
 * changed since, nobody has read what would be decided. Undefined when the decision is about what is there.
 */
export const outdated = (subject: Submittable, named: number | undefined): Conflict | undefined =>
  (named ?? subject.submission?.revision ?? subject.revision) === subject.revision
    ? undefined
    : new Conflict({ reason: CHANGED })

export const CHANGED = "it was changed meanwhile: read it again, and name the revision that the decision is about"
