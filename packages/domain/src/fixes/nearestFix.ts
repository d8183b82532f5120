import { Effect } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { FixHistory } from "./FixHistory.js"
import * as Nearest from "./Nearest.js"

/** The fix nearest in time to `at`, on either side of it; undefined when none is within the tolerance. */
export const nearestFix = (
  userId: UserId,
  at: Timestamp.Timestamp,
  toleranceMs: number
): Effect.Effect<Nearest.Nearest | undefined, StoreError, FixHistory> =>
  Effect.gen(function* () {
    const around = yield* (yield* FixHistory).around(userId, yield* Timestamp.now, at, toleranceMs)
    return Nearest.of(at, around, toleranceMs)
  }).pipe(Effect.withSpan("nearestFix"))
