/** Boundary values of the specification, and values next to them (Spec §8, decisions T2, T3). */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/**
 * Offsets of the step `until`, in milliseconds. The step waits until a moment, such as the end of an authorization
 * code, plus the offset. A negative offset is a time before the moment.
 */
export const OFFSETS = [-1, 0, 1, -SECOND, SECOND, -MINUTE, MINUTE, 15 * MINUTE, 15 * MINUTE + 1, HOUR] as const

export const WAITS = [
  0,
  1,
  SECOND,
  5 * SECOND,
  29 * SECOND,
  30 * SECOND,
  30 * SECOND + 1,
  59 * SECOND,
  MINUTE,
  119 * SECOND,
  2 * MINUTE,
  2 * MINUTE + 1,
  5 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR - SECOND,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  15 * HOUR,
  DAY - 1,
  DAY,
  DAY + 1
] as const
/**
 * Long waits, in milliseconds, after which tiers have ended and old rows are deleted. Long waits take few steps,
 * because no new work appears during the wait, so the polling loops of the programs wake rarely.
 */
export const LONG_WAITS = [2 * DAY, 7 * DAY, 8 * DAY, 14 * DAY, 30 * DAY, 31 * DAY] as const

/**
 * The ages that a fix may have when the phone sends it, in milliseconds. Some fixes are fresh, and some are stale or
 * more than a day late. Some have a capture time in the future: the service accepts the fixes that are at most five
 * minutes ahead, and quarantines the others.
 */
export const AGES = [
  0,
  0,
  0,
  1,
  SECOND,
  MINUTE,
  119 * SECOND,
  2 * MINUTE,
  899 * SECOND,
  900 * SECOND,
  900 * SECOND + 1,
  901 * SECOND,
  HOUR,
  DAY,
  DAY + 1,
  25 * HOUR,
  -SECOND,
  -5 * MINUTE,
  -5 * MINUTE - 1
] as const
export const CROSSINGS = [
  60 * SECOND,
  59 * SECOND,
  119 * SECOND,
  120 * SECOND,
  121 * SECOND,
  5 * MINUTE,
  10 * MINUTE
] as const
/**
 * Distances from the boundary of a place, in metres, negative inside the place: far from the boundary, and near the
 * limits of the margin of 50 m.
 */
export const EDGES = [-150, -100, -60, -51, -50, -49, -1, 0, 1, 49, 50, 51, 60, 99, 101, 250, 2_000] as const
export const ACCURACIES = [10, 10, 10, 49, 50, 51, 60, 100, 500, 0, -1, null] as const
export const RADII = [100, 101, 150, 500, 9_999, 10_000] as const
/** Radii that the service refuses. */
export const BAD_RADII = [99, 10_001, 0, -5] as const
export const DWELLS = [5, 5, 5, 6, 30, 720] as const
export const BAD_DWELLS = [4, 721] as const
/** Values of `settle_s`, in seconds. Undefined, which is most frequent, means that the rule does not wait. */
export const SETTLES = [undefined, undefined, 30, undefined, 120, undefined, undefined, 300] as const
export const EVENT_AGES = [30, 30, 60, 300, 3_600] as const
export const BAD_EVENT_AGES = [29, 3_601] as const
export const TOLERANCES = [0, 1, 899, 900, 901, 86_400] as const
export const DOWN = [0, SECOND, 29 * SECOND, 31 * SECOND, MINUTE, 5 * MINUTE, HOUR, 20 * HOUR] as const
export const JUMPS = [-HOUR, -MINUTE, -SECOND, SECOND, MINUTE, 15 * MINUTE, HOUR, DAY] as const
/**
 * How long before the newest reading, or before now, a deleted stretch begins, in milliseconds. The stretch may begin
 * at the same instant, within the present stay or long before the stay.
 */
export const ERASED_BEFORE = [0, 1, SECOND, MINUTE, 10 * MINUTE, HOUR, DAY, 31 * DAY] as const
/**
 * How long after the newest reading, or after now, the deleted stretch ends, in milliseconds. With 0, the stretch does
 * not include a reading of the same instant.
 */
export const ERASED_AFTER = [0, 0, 1, SECOND] as const
/**
 * For how long a developer listens, in milliseconds: some minutes, one interval of heartbeats (15 s), or just longer
 * than a listener without a heartbeat counts as present (45 s).
 */
export const LISTENING = [5 * MINUTE, 5 * MINUTE, MINUTE, 15 * SECOND, 46 * SECOND] as const
