import { Schema } from "effect"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/** For how many days where one was is kept; null: for ever. */
export const Keep = Schema.NullOr(
  Schema.Literal(30, 90, 365).annotations({ message: () => "must be 30, 90, 365 or null, which is for ever" })
)
export type Keep = typeof Keep.Type

/** Of whoever never chose: apps that may look back can ask about any moment (Spec §4.5), so nothing goes unless its owner says so. */
export const DEFAULT: Keep = null

/** Housekeeping deletes what is past the choice so often, on the clock. */
export const SWEEP_EVERY = HOUR

/**
 * What happened at this moment or before it is past the user's choice (decision T2: 90 days later to the millisecond it is gone). No
 * answer shows it from then on, whether or not it has been deleted yet. Null: everything is kept.
 */
export const cutoff = (keep: Keep, now: Timestamp): Timestamp | null => (keep === null ? null : plus(now, -keep * DAY))

/** Whether the user no longer wants it kept; `cutoff` null: everything is kept. */
export const isPast = (at: Timestamp, cutoff: Timestamp | null): boolean => cutoff !== null && at <= cutoff

/** Whether something may go that would have stayed. */
export const shortens = (before: Keep, after: Keep): boolean => (after ?? Infinity) < (before ?? Infinity)

/** When what happened at `at` is deleted: at the first sweep once it is past; null: never. */
export const deletedAt = (at: Timestamp, keep: Keep, now: Timestamp): Timestamp | null => {
  if (keep === null) return null
  const due = Math.max(at + keep * DAY, now + 1)
  return (Math.ceil(due / SWEEP_EVERY) * SWEEP_EVERY) as Timestamp
}
