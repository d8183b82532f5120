import { Effect } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { nextLook } from "./AccountDeletion.js"
import { AccountDeletionStore, type Leftover } from "./AccountDeletionStore.js"

/** So many accounts are taken at a time, by one worker. */
const BATCH = 10
/** So many rows of a kind are removed in one statement: short enough that nobody waits for it. */
const ROWS = 1_000
/** Then another worker may go on with them: this one is dead or has more than it can do. */
const LEASE = 10 * Timestamp.MINUTE

/**
 * Removes what is left of deleted accounts, and answers how many were finished for good. Can be interrupted and repeated at any
 * point, by any number of workers.
 */
export const removeDeleted = Effect.fn("removeDeleted")(function* () {
  const store = yield* AccountDeletionStore
  const now = yield* Timestamp.now
  const leaseUntil = Timestamp.plus(now, LEASE)
  let finished = 0
  for (const leftover of yield* store.claimDue(BATCH, now, leaseUntil)) {
    if (yield* removeOne(leftover, leaseUntil)) finished++
  }
  return finished
})

const removeOne = ({ requestedAt, userId }: Leftover, leaseUntil: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const store = yield* AccountDeletionStore
    let now = yield* Timestamp.now
    while ((yield* store.removeSome(userId, now, ROWS)) > 0) {
      now = yield* Timestamp.now
      // Whoever claims it next goes on.
      if (now >= leaseUntil) return false
    }
    const next = nextLook(requestedAt, now)
    yield* next === null ? store.finish(userId) : store.lookAgain(userId, next)
    return next === null
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("A deleted account's rows could not be removed, later again", userId, error), false)
    )
  )
