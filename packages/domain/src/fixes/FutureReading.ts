// Accepts readings whose time was ahead of the server's clock when they arrived (decision fixes-4).
import { DAY, type Timestamp } from "../shared/Timestamp.js"
import * as Fix from "./Fix.js"

/**
 * A reading that was quarantined because its capture time was more than `Fix.MAX_AHEAD` after its arrival. Either clock
 * may have been wrong. If the server's clock was slow, the reading is good, and the phone's next readings are captured
 * later still. If the phone's clock was fast and was then corrected, the phone's next reading has an earlier time: the
 * true times of the quarantined reading and of earlier quarantined readings are unknown, so all these readings stay in
 * quarantine (`undisputed`).
 */
export interface FutureReading {
  /** The key under which the reading was stored (`Quarantined.key`). */
  readonly key: string
  readonly reading: Fix.Reading
  readonly receivedAt: Timestamp
}

/**
 * A quarantined reading that is accepted after all. The fix keeps the reading's own `receivedAt`. If the fix had the
 * arrival time of the upload that accepts it, the fix would seem to contradict readings that are still quarantined
 * (`FixStore.waiting`).
 */
export interface AcceptedReading extends Pick<FutureReading, "key" | "receivedAt"> {
  readonly fix: Fix.Fix
}

/**
 * In milliseconds: a later upload can accept a quarantined reading if the reading's capture time was at most this long
 * after the reading's arrival.
 */
export const MAX_WAIT = DAY
/** The maximum number of quarantined readings that one upload checks again (`FixStore.waiting`). */
export const MOST = 500

/**
 * Whether readings that were quarantined at `lastFutureAt` may still be accepted. Such a reading was captured at most
 * `MAX_WAIT` after `lastFutureAt`; later readings are never accepted. The upload that shows that the reading was right
 * has at least `MAX_WAIT`, from the capture time of the reading, to arrive. So the limit is twice `MAX_WAIT`.
 */
export const mayWait = (lastFutureAt: Timestamp | null, now: Timestamp): boolean =>
  lastFutureAt !== null && now - lastFutureAt <= 2 * MAX_WAIT

/**
 * The readings that fixes of the same device do not keep in quarantine. A fix contradicts a reading when the fix
 * arrived after the reading and was captured between the reading's arrival and the reading's own time: then the phone's
 * clock was ahead when the reading arrived. The clock was probably ahead before, so every reading that arrived at the
 * same time as a contradicted reading, or earlier, stays in quarantine, too. A fix that was itself from the future when
 * it arrived contradicts nothing. A reading that was more than `MAX_WAIT` ahead stays in quarantine, and may be
 * contradicted as well.
 */
export const undisputed = (
  readings: ReadonlyArray<FutureReading>,
  fixes: ReadonlyArray<Pick<Fix.StoredFix, "capturedAt" | "receivedAt">>
): ReadonlyArray<FutureReading> => {
  const right = fixes.filter((fix) => fix.capturedAt - fix.receivedAt <= Fix.MAX_AHEAD)
  const wasAhead = ({ reading, receivedAt }: FutureReading): boolean =>
    right.some((fix) => Math.min(fix.receivedAt, fix.capturedAt) > receivedAt && fix.capturedAt < reading.capturedAt)
  const until = Math.max(Number.NEGATIVE_INFINITY, ...readings.filter(wasAhead).map((one) => one.receivedAt))
  return readings.filter((one) => one.receivedAt > until && one.reading.capturedAt - one.receivedAt <= MAX_WAIT)
}

/**
 * The readings of `waiting` that are accepted now, because one of `fixes` has the same time or a later time. `waiting`
 * are `undisputed` readings. `fixes` are the fixes of an upload of the same device, and none of these fixes is from the
 * future.
 */
export const due = (
  waiting: ReadonlyArray<FutureReading>,
  fixes: ReadonlyArray<Pick<Fix.Fix, "capturedAt">>,
  now: Timestamp
): ReadonlyArray<AcceptedReading> => {
  const newest = fixes.reduce((latest, { capturedAt }) => Math.max(latest, capturedAt), Number.NEGATIVE_INFINITY)
  return waiting.flatMap(({ key, reading, receivedAt }) => {
    const judged = reading.capturedAt > newest ? undefined : Fix.judge(reading, now)
    return judged?._tag === "Fix" ? [{ key, fix: judged.fix, receivedAt }] : []
  })
}
