import { Context, type Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { Page } from "../shared/Page.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { StoredFix } from "./Fix.js"

/** A stretch of time; null is open. */
export interface Stretch {
  /** Inclusive. */
  readonly from: Timestamp | null
  /** Exclusive. */
  readonly until: Timestamp | null
}

/** The fixes between two edges; a stretch with none is left out. */
export interface Tally {
  /** Position of the edge that the stretch begins with, from 0. */
  readonly edge: number
  readonly fixes: number
  readonly firstAt: Timestamp
  readonly lastAt: Timestamp
}

/**
 * What the user's phones have told, whichever of them; readings that were put aside are never among it, nor is what is past
 * `History.cutoff` of the user's choice at `now`. Every question is answered by index, however long the history.
 */
export class FixHistory extends Context.Tag("@place-access/domain/fixes/FixHistory")<
  FixHistory,
  {
    /**
     * Without what a device captured while it was left behind (`Carried`). In the order of `Fix.newestFirst`: `limit` of them and what else there is of the last one's instant, so that the next page
     * is the one until that instant. Fewer than `limit` are all that there are.
     */
    readonly newest: (
      userId: UserId,
      now: Timestamp,
      within: Stretch,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredFix>, StoreError>
    /**
     * Without what a device captured while it was left behind. What is nearest to `at` on either side: the fixes of the last instant until it, itself included, and of the first one
     * after it, neither more than `toleranceMs` away. In no order: `Nearest.of` chooses.
     */
    readonly around: (
      userId: UserId,
      now: Timestamp,
      at: Timestamp,
      toleranceMs: number
    ) => Effect.Effect<ReadonlyArray<StoredFix>, StoreError>
    /** In the order of `Fix.oldestFirst`. Positions are those of `RangePosition`. */
    readonly range: (
      userId: UserId,
      now: Timestamp,
      within: { readonly from: Timestamp; readonly until: Timestamp },
      limit: number,
      after: ReadonlyArray<string | number> | undefined
    ) => Effect.Effect<Page<StoredFix>, StoreError>
    /** Counts from each edge (inclusive) to the next (exclusive). Edges ascend; there are two at least. */
    readonly tally: (
      userId: UserId,
      now: Timestamp,
      edges: ReadonlyArray<Timestamp>
    ) => Effect.Effect<ReadonlyArray<Tally>, StoreError>
  }
>() {}
