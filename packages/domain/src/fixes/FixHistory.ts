// The port that reads the stored fixes. Every query uses an index (decision answers-9).
import { Context } from "effect"
import type { SentReadings } from "../devices/Sending.js"
import type { DeviceId, Page, StoreEffect, Timestamp, UserId } from "../shared/index.js"
import type { StoredFix } from "./Fix.js"

/** A span of time; null leaves an end open. */
export interface HistoryStretch {
  /** Inclusive: this instant counts. */
  readonly from: Timestamp.Timestamp | null
  /** Exclusive: this instant no longer counts. */
  readonly until: Timestamp.Timestamp | null
}

/** The fixes of one stretch of time, as `FixHistory.tally` counts them. A stretch without fixes has no `FixCounts`. */
export interface FixCounts {
  /**
   * The stretch of time begins at `edges[edge]`, inclusive, and ends at the next element of `edges`, exclusive. `edges`
   * is the argument of `tally`.
   */
  readonly edge: number
  readonly fixes: number
  readonly firstAt: Timestamp.Timestamp
  readonly lastAt: Timestamp.Timestamp
}

/**
 * The fixes of all devices of the user, without quarantined readings and without fixes older than the history that the
 * user keeps (`History.cutoff`) at `now`. Every query uses an index, so its cost does not grow with the history.
 */
export class FixHistory extends Context.Tag("@place-access/domain/fixes/FixHistory")<
  FixHistory,
  {
    /**
     * The newest fixes in the order of `Fix.newestFirst`: `limit` fixes, and all other fixes captured at the same
     * instant as the last of these. So the caller can read the next page with this instant as `until`, and misses no
     * fix. When there are fewer than `limit` fixes, no more exist. Fixes captured while the device was left behind
     * (`Carried`) are left out.
     */
    readonly newest: (
      userId: UserId,
      now: Timestamp.Timestamp,
      within: HistoryStretch,
      limit: number
    ) => StoreEffect<ReadonlyArray<StoredFix>>
    /**
     * The fixes nearest to `at`, at most `toleranceMs` away, in no order: all fixes of the latest capture time up to
     * `at`, and all fixes of the earliest capture time after `at`. `Nearest.of` chooses one of them. Fixes captured
     * while the device was left behind (`Carried`) are left out. Empty when `at` lies in a stretch of history that the
     * user deleted.
     */
    readonly around: (
      userId: UserId,
      now: Timestamp.Timestamp,
      at: Timestamp.Timestamp,
      toleranceMs: number
    ) => StoreEffect<ReadonlyArray<StoredFix>>
    /**
     * Fixes ordered by `Fix.oldestFirst`, including fixes captured while the device was left behind. `RangePosition`
     * says where a page starts and ends.
     */
    readonly range: (
      userId: UserId,
      now: Timestamp.Timestamp,
      within: { readonly from: Timestamp.Timestamp; readonly until: Timestamp.Timestamp },
      limit: number,
      after: Page.PagePosition | undefined
    ) => StoreEffect<Page.Page<StoredFix>>
    /**
     * Counts the fixes in each stretch of time, including fixes captured while the device was left behind. A stretch
     * goes from one of the times `edges` (inclusive) to the next (exclusive). `edges` has at least two times,
     * ascending.
     */
    readonly tally: (
      userId: UserId,
      now: Timestamp.Timestamp,
      edges: ReadonlyArray<Timestamp.Timestamp>
    ) => StoreEffect<ReadonlyArray<FixCounts>>
    /**
     * Counts the readings of one device in each stretch of time, and finds the device's silences. A stretch goes from
     * one of the times `edges` (inclusive) to the next (exclusive). Readings captured while the device was left behind
     * are included. `lateMs`: a reading that arrived later than this after its capture is late. `silentMs`: a gap of at
     * least this length between two readings is a silence.
     */
    readonly sent: (
      userId: UserId,
      deviceId: DeviceId,
      now: Timestamp.Timestamp,
      edges: ReadonlyArray<Timestamp.Timestamp>,
      bounds: { readonly lateMs: number; readonly silentMs: number }
    ) => StoreEffect<SentReadings>
  }
>() {}
