// How long a user's history is kept. Decisions M3, retention-choice-1 and retention-choice-2.
import { Schema } from "effect"
import { DAY, HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/** The number of days for which a user's history is kept; null: without a limit. */
export const Keep = Schema.NullOr(
  Schema.Literal(30, 90, 365).annotations({ message: () => "must be 30, 90, 365 or null, which is for ever" })
)
export type Keep = typeof Keep.Type

/** The choice for users who never chose: everything is kept, because apps may ask about any past moment (Spec §4.5). */
export const DEFAULT: Keep = null

/**
 * The interval, in milliseconds, of the sweep that deletes history older than users keep. The sweep runs at full
 * multiples of this interval since 1970 (at every full hour), and also when a worker starts or takes leases.
 */
export const SWEEP_EVERY = HOUR

/**
 * The cutoff at `now`: history from this moment or earlier is not shown, even before a sweep deletes it (decision T2).
 * Null: all is kept.
 */
export const cutoff = (keep: Keep, now: Timestamp): Timestamp | null => (keep === null ? null : plus(now, -keep * DAY))

/** Whether history from `at` is older than the history that the user keeps. `cutoff` null: all history is kept. */
export const isPast = (at: Timestamp, cutoff: Timestamp | null): boolean => cutoff !== null && at <= cutoff

/** Whether the choice `after` keeps history for a shorter time than the choice `before`. */
export const shortens = (before: Keep, after: Keep): boolean => (after ?? Infinity) < (before ?? Infinity)

/**
 * When the service deletes history from `at`: at the first regular run of the sweep (`SWEEP_EVERY`) that finds this
 * history older than the history that the user keeps. An additional run may delete it earlier. Null: never.
 */
export const deletedAt = (at: Timestamp, keep: Keep, now: Timestamp): Timestamp | null => {
  if (keep === null) return null
  const due = Math.max(at + keep * DAY, now + 1)
  return (Math.ceil(due / SWEEP_EVERY) * SWEEP_EVERY) as Timestamp
}
