import { Effect } from "effect"
import { HistoryStore, type Moments } from "../history/HistoryStore.js"
import type { UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Retention from "./Retention.js"

/** So many people are looked at in one statement. */
const PEOPLE = 500
/** So many rows of a kind are deleted in one statement: short enough that nobody waits for it. */
const ROWS = 1_000

/**
 * Deletes everybody's history that is past their choice, and what is too old of their access logs; answers how many rows. Can be
 * interrupted and repeated at any point, by any number of workers. Whose rows cannot be deleted now is logged and left to the next
 * run.
 */
export const sweepHistory = Effect.fn("sweepHistory")(function* (now: Timestamp) {
  const store = yield* HistoryStore
  const moments: Moments = { now, accessLogUntil: Retention.accessLogUntil(now) }
  let removed = 0
  let after: UserId | undefined
  do {
    const { next, overdue } = yield* store.listOverdue(moments, PEOPLE, after)
    for (const userId of overdue) removed += yield* removeAll(userId, moments)
    after = next
  } while (after !== undefined)
  return removed
})

const removeAll = (userId: UserId, moments: Moments) =>
  Effect.gen(function* () {
    const store = yield* HistoryStore
    let removed = 0
    for (let last = -1; last !== 0; removed += last) last = yield* store.removePast(userId, moments, ROWS)
    return removed
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("Somebody's old history could not be deleted, later again", userId, error), 0)
    )
  )
