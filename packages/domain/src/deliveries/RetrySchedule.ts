import { HOUR, MINUTE, plus, SECOND, type Timestamp } from "../shared/Timestamp.js"

/**
 * The waits in milliseconds from the end of a failed attempt to the next attempt (Spec §6.4.6). There are seven
 * attempts in all.
 */
export const WAITS: ReadonlyArray<number> = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]

export const MAX_ATTEMPTS = WAITS.length + 1

/**
 * When the attempt after attempt number `attempt` is due; undefined after the last attempt. Attempts are counted from
 * 1. The times have no jitter (decision W2).
 */
export const nextDue = (attempt: number, endedAt: Timestamp): Timestamp | undefined => {
  const wait = WAITS[attempt - 1]
  return wait === undefined ? undefined : plus(endedAt, wait)
}
