import { Effect, Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as History from "./History.js"
import { HistoryStore } from "./HistoryStore.js"

/** A user's choice and what it means at this moment. */
export interface Kept {
  readonly keep: History.Keep
  /** What happened then or before is past; null: nothing is. */
  readonly cutoff: Timestamp.Timestamp | null
}

/** What the user chose, or the default. */
export const getHistoryChoice = (userId: UserId): Effect.Effect<Kept, StoreError, HistoryStore> =>
  Effect.gen(function* () {
    const keep = Option.getOrElse(yield* (yield* HistoryStore).choice(userId), () => History.DEFAULT)
    return { keep, cutoff: History.cutoff(keep, yield* Timestamp.now) }
  }).pipe(Effect.withSpan("getHistoryChoice"))
