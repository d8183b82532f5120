import { Effect } from "effect"
import { Conflict, Invalid, program, Timestamp, type UserId } from "../shared/index.js"
import * as Erasure from "./Erasure.js"
import { HistoryStore } from "./HistoryStore.js"

const checked = (stretch: Erasure.Stretch, now: Timestamp.Timestamp): Effect.Effect<void, Invalid> => {
  const fault = Erasure.fault(stretch, now)
  return fault === undefined ? Effect.void : Effect.fail(Invalid.of(fault.field, fault.reason))
}

/** The stretches that the user deleted, ordered by time. */
export const listErasures = program("listErasures", function* (userId: UserId) {
  return yield* (yield* HistoryStore).erasures(userId)
})

/**
 * How many fixes `eraseHistory` would delete. Fails with `Invalid` for a stretch that `eraseHistory` refuses. The
 * result has no number of visits, because some visits are shortened and stays are derived again.
 */
export const previewErasure = program("previewErasure", function* (userId: UserId, stretch: Erasure.Stretch) {
  yield* checked(stretch, yield* Timestamp.now)
  // `Between` excludes its beginning and includes its end. A stretch includes its beginning and excludes its end. So
  // both times are moved back by 1 ms.
  const within = { after: Timestamp.plus(stretch.from, -1), until: Timestamp.plus(stretch.until, -1) }
  const { fixes } = yield* (yield* HistoryStore).survey(userId, within)
  return fixes
})

/**
 * Deletes the user's history of a stretch of the past permanently: no later upload or import brings it back. Apps keep
 * what they received before. Fails with `Invalid` for a stretch that has no length, is longer than 31 days or reaches
 * into the future, and with `Conflict` when more than `Erasure.MOST` stretches would be stored.
 */
export const eraseHistory = program("eraseHistory", function* (userId: UserId, stretch: Erasure.Stretch) {
  const now = yield* Timestamp.now
  yield* checked(stretch, now)
  if (!(yield* (yield* HistoryStore).erase(userId, stretch, now))) {
    return yield* new Conflict({
      reason: `at most ${Erasure.MOST} deleted stretches can be remembered; delete one long stretch instead`
    })
  }
})
