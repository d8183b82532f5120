import { Effect } from "effect"
import { HistoryStore, type DeletionTimes } from "../retention-choice/HistoryStore.js"
import { type Timestamp, type UserId, program } from "../shared/index.js"
import * as Retention from "./Retention.js"
import { type EventPlace, RetentionStore } from "./RetentionStore.js"

/** The number of users whose history one statement examines. */
const PEOPLE = 500
/**
 * The maximum number of rows of one kind that one statement deletes. Other statements wait while this statement runs,
 * so the number is small.
 */
const ROWS = 1_000

/**
 * Deletes history that is older than the history that its user keeps, and old entries of the access log. Returns the
 * number of deleted rows. This program may be interrupted, repeated and run by several workers. When the deletion for
 * one user fails, the failure is logged and the next run tries again.
 */
export const sweepHistory = program("sweepHistory", function* (now: Timestamp.Timestamp) {
  const store = yield* HistoryStore
  const moments: DeletionTimes = { now, accessLogUntil: Retention.accessLogUntil(now) }
  let removed = 0
  let after: UserId | undefined
  do {
    const { next, overdue } = yield* store.listOverdue(moments, PEOPLE, after)
    for (const userId of overdue) removed += yield* removeAll(userId, moments)
    after = next
  } while (after !== undefined)
  return removed
})

const removeAll = (userId: UserId, moments: DeletionTimes) =>
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

/**
 * The maximum number of rows that one statement deletes. Other statements wait while this statement runs, so the number
 * is small.
 */
const BATCH = 1_000

/**
 * Deletes expired rows and returns their number. Answers do not depend on the deletion, because the programs compare
 * the dates themselves. This program may be interrupted, and several workers may run it at the same time. When the
 * deletion of one kind of rows fails, the failure is logged, the other kinds are still deleted, and the next run tries
 * again.
 */
export const sweepExpired = program("sweepExpired", function* (now: Timestamp.Timestamp) {
  let removed = 0
  for (const kind of Retention.RetentionKind.literals) removed += yield* removeKind(kind, Retention.until(kind, now))
  // Events are deleted after the deliveries, because an event is deleted only when none of its deliveries is left.
  return removed + (yield* removeEvents(Retention.eventsUntil(now)))
})

const removeKind = (kind: Retention.RetentionKind, until: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    let removed = 0
    for (let last = BATCH; last === BATCH; removed += last) last = yield* store.remove(kind, until, BATCH)
    return removed
  }).pipe(laterAgain(kind))

const removeEvents = (until: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    let removed = 0
    let after: EventPlace | undefined
    do {
      const step = yield* store.removeEvents(until, BATCH, after)
      removed += step.removed
      after = step.next
    } while (after !== undefined)
    return removed
  }).pipe(laterAgain("events"))

const laterAgain =
  (kind: string) =>
  <E, R>(sweep: Effect.Effect<number, E, R>): Effect.Effect<number, never, R> =>
    Effect.catchAll(sweep, (error) =>
      Effect.as(Effect.logWarning("Expired rows could not be deleted, later again", kind, error), 0)
    )
