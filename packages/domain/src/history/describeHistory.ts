import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { getHistoryChoice, type Kept } from "./getHistoryChoice.js"
import * as History from "./History.js"
import { type Extent, HistoryStore } from "./HistoryStore.js"

export interface Described extends Kept, Extent {
  /** When the oldest fix is deleted; null: there is none, or it is kept for ever. */
  readonly nextDeletionAt: Timestamp.Timestamp | null
}

/** What of a user's history there is; without what is past, deleted yet or not. */
export const describeHistory = (userId: UserId): Effect.Effect<Described, StoreError, HistoryStore> =>
  Effect.gen(function* () {
    const kept = yield* getHistoryChoice(userId)
    const extent = yield* (yield* HistoryStore).survey(userId, { after: kept.cutoff, until: null })
    const { oldestAt } = extent
    const nextDeletionAt = oldestAt === null ? null : History.deletedAt(oldestAt, kept.keep, yield* Timestamp.now)
    return { ...kept, ...extent, nextDeletionAt }
  }).pipe(Effect.withSpan("describeHistory"))
