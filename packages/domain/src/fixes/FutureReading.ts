import { DAY, type Timestamp } from "../shared/Timestamp.js"
import * as Fix from "./Fix.js"

/**
 * A reading that was put aside because it was captured after its arrival. Either clock may have been wrong. If it was the server's,
 * the reading is good, and its phone goes on: what the phone sends once the server's clock is right was captured later still. If it
 * was the phone's and somebody sets it right, the phone captures next at a time before this one: then nobody knows when this reading
 * was taken, and it stays aside.
 */
export interface FutureReading {
  /** `Quarantined.key` */
  readonly key: string
  readonly reading: Fix.Reading
  readonly receivedAt: Timestamp
}

/** A reading that is further ahead is not looked at again. */
export const MAX_WAIT = DAY
/** So many readings of a device are looked at again at most, the oldest first. */
export const MOST = 500

/** Until when readings that were put aside at `lastFutureAt` may be looked at again. A corrected clock jumps by a day at most. */
export const mayWait = (lastFutureAt: Timestamp | null, now: Timestamp): boolean =>
  lastFutureAt !== null && now - lastFutureAt <= 2 * MAX_WAIT

/**
 * Those of `waiting` whose time has come: an upload of the same device has a reading (`fixes`, none of which is from the future) that
 * was captured later, and none that was captured between the arrival of the waiting one and its own time.
 */
export const due = (
  waiting: ReadonlyArray<FutureReading>,
  fixes: ReadonlyArray<Pick<Fix.Fix, "capturedAt">>,
  now: Timestamp
): ReadonlyArray<{ readonly key: string; readonly fix: Fix.Fix }> => {
  const newest = fixes.reduce((latest, { capturedAt }) => Math.max(latest, capturedAt), Number.NEGATIVE_INFINITY)
  return waiting.flatMap(({ key, reading, receivedAt }) => {
    const at = reading.capturedAt
    const wasSetBack = fixes.some(({ capturedAt }) => capturedAt > receivedAt && capturedAt < at)
    if (at > newest || at - receivedAt > MAX_WAIT || wasSetBack) return []
    const judged = Fix.judge(reading, now)
    return judged._tag === "Fix" ? [{ key, fix: judged.fix }] : []
  })
}
