import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { getHistoryChoice, type Kept } from "./getHistoryChoice.js"
import * as History from "./History.js"
import { type Extent, HistoryStore } from "./HistoryStore.js"

/** Counts from this moment: what is past now is in no answer any more, and the next sweep deletes it. */
export const chooseHistory = (userId: UserId, keep: History.Keep): Effect.Effect<Kept, StoreError, HistoryStore> =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    yield* (yield* HistoryStore).choose(userId, keep, now)
    return { keep, cutoff: History.cutoff(keep, now) }
  }).pipe(Effect.withSpan("chooseHistory"))

/** What choosing `keep` would delete for good; undefined when it shortens nothing. */
export const previewChoice = (
  userId: UserId,
  keep: History.Keep
): Effect.Effect<Extent | undefined, StoreError, HistoryStore> =>
  Effect.gen(function* () {
    const before = yield* getHistoryChoice(userId)
    if (!History.shortens(before.keep, keep)) return undefined
    const until = History.cutoff(keep, yield* Timestamp.now)
    return yield* (yield* HistoryStore).survey(userId, { after: before.cutoff, until })
  }).pipe(Effect.withSpan("previewChoice"))
