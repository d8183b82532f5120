import { Option } from "effect"
import { program, Timestamp, type UserId } from "../shared/index.js"
import * as History from "./History.js"
import { type Extent, HistoryStore } from "./HistoryStore.js"

/** How long the user has chosen to keep history, and the time from which history is kept. */
export interface KeptHistory {
  readonly keep: History.Keep
  /** History from this moment or earlier is deleted already, or the next sweep deletes it; null: all is kept. */
  readonly cutoff: Timestamp.Timestamp | null
}

/** How long the user keeps history: the user's choice, or the default when the user never chose. */
export const getHistoryChoice = program("getHistoryChoice", function* (userId: UserId) {
  const keep = Option.getOrElse(yield* (yield* HistoryStore).choice(userId), () => History.DEFAULT)
  const result: KeptHistory = { keep, cutoff: History.cutoff(keep, yield* Timestamp.now) }
  return result
})

/**
 * Stores the user's choice. From this moment on, no answer shows history that is older than the choice keeps, and the
 * next sweep deletes this history.
 */
export const chooseHistory = program("chooseHistory", function* (userId: UserId, keep: History.Keep) {
  const now = yield* Timestamp.now
  yield* (yield* HistoryStore).choose(userId, keep, now)
  const result: KeptHistory = { keep, cutoff: History.cutoff(keep, now) }
  return result
})

/** How much history the choice `keep` would delete; undefined when `keep` is not shorter than the present choice. */
export const previewChoice = program("previewChoice", function* (userId: UserId, keep: History.Keep) {
  const before = yield* getHistoryChoice(userId)
  if (!History.shortens(before.keep, keep)) return undefined
  const until = History.cutoff(keep, yield* Timestamp.now)
  return yield* (yield* HistoryStore).survey(userId, { after: before.cutoff, until })
})

export interface Described extends KeptHistory, Extent {
  /** When the oldest fix is deleted; null: there is no fix, or history is kept forever. */
  readonly nextDeletionAt: Timestamp.Timestamp | null
}

/** How much history the user has. History up to the cutoff does not count, even if it is not deleted yet. */
export const describeHistory = program("describeHistory", function* (userId: UserId) {
  const kept = yield* getHistoryChoice(userId)
  const extent = yield* (yield* HistoryStore).survey(userId, { after: kept.cutoff, until: null })
  const { oldestAt } = extent
  const nextDeletionAt = oldestAt === null ? null : History.deletedAt(oldestAt, kept.keep, yield* Timestamp.now)
  const result: Described = { ...kept, ...extent, nextDeletionAt }
  return result
})
