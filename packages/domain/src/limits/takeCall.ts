import { Effect } from "effect"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { LimitStore } from "./LimitStore.js"
import * as Rate from "./Rate.js"
import type { Subject } from "./Subject.js"

/**
 * Counts a call and says how it stands. When it cannot be counted it must not be answered either: a limit that opens while the
 * database is in trouble is none when it is needed most.
 */
export const takeCall = (subject: Subject, rate: Rate.Rate): Effect.Effect<Rate.Standing, StoreError, LimitStore> =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const window = yield* (yield* LimitStore).count(subject, rate.windowMillis, now)
    return Rate.standing(rate, window, now)
  }).pipe(Effect.withSpan("takeCall"))
