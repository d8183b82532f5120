import { Effect } from "effect"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Retention from "./Retention.js"
import { RetentionStore } from "./RetentionStore.js"

/** Deleted in one statement: short enough that nobody waits for it. */
const BATCH = 1_000

/**
 * Deletes what time has made useless (`Retention.Kind`), and answers how much of it there was. No answer of the service depends
 * on it. Can be interrupted and repeated at any point, by any number of workers.
 */
export const sweepExpired = Effect.fn("sweepExpired")(function* (now: Timestamp) {
  const store = yield* RetentionStore
  let removed = 0
  for (const kind of Retention.Kind.literals) {
    const until = Retention.until(kind, now)
    for (let last = BATCH; last === BATCH;) {
      last = yield* store.remove(kind, until, BATCH)
      removed += last
    }
  }
  return removed
})
