import { Effect, Either, Option } from "effect"
import { WorkSignal } from "../events/index.js"
import type { PeopleLeases, WorkLeases } from "../leases/WorkLeases.js"
import { JudgedClock, program, type StoreError, Telemetry, Timestamp, type UserId } from "../shared/index.js"
import { FixStore } from "./FixStore.js"
import { named } from "./storeUploads.js"
import * as UploadEvaluation from "./UploadEvaluation.js"
import * as UploadFigures from "./UploadFigures.js"

/**
 * The maximum number of people that one query returns, not counting the people whose crossings could not be settled in
 * this run.
 */
const BATCH = 100

/**
 * How often one run tries to settle the crossings of a person. An attempt fails when the person's version
 * (`UploadView.version`) grows between its read and its commit, for example by an upload. After the last attempt, the
 * next run tries again.
 */
const ROUNDS = 4

/**
 * Fires the rules whose crossing is due: no fix has contradicted the crossing within the rule's `settleS` (decision
 * rules-13). In this file, the word crossing includes the dwell of a rule whose `silenceS` has ended (decision
 * rules-14). A phone that sleeps sends nothing, so the clock decides. Returns the number of events. An upload also
 * fires such rules of its user. The upload and this program both check the user's version (`UploadView.version`), so an
 * event is written only once.
 *
 * When the crossings of a person cannot be settled, the run continues with the next person. When this failed for
 * `BATCH` people or more and succeeded for nobody, the cause is probably a fault of the service and not these people's
 * data. Then the run fails at its end with the last error.
 */
export const settleDue = program("settleDue", function* (people: PeopleLeases) {
  // If the clock of this process is ahead, rules would fire too early.
  if (!(yield* JudgedClock.isRight)) return 0
  const store = yield* FixStore
  // The people whose crossings could not be settled. They are still due and come first in every read, so this run reads
  // past them. The next run tries them again.
  const left = new Set<UserId>()
  const errors: Array<StoreError> = []
  let isAnySettled = false
  let events = 0
  for (;;) {
    const limit = BATCH + left.size
    const due = yield* store.settling(yield* people.buckets, yield* Timestamp.now, limit)
    for (const userId of due) {
      if (left.has(userId)) continue
      const attempt = Option.getOrElse(yield* people.using(userId, attemptOne(userId)), () => NOT_NOW)
      if (Either.isLeft(attempt)) errors.push(attempt.left)
      const one = Option.flatten(Either.getRight(attempt))
      if (Option.isNone(one)) left.add(userId)
      else isAnySettled = true
      events += Option.getOrElse(one, () => 0)
    }
    if (due.length < limit) break
  }
  if (events > 0) yield* (yield* WorkSignal).raise
  const last = errors.at(-1)
  return last === undefined || isAnySettled || errors.length < BATCH ? events : yield* last
})

/**
 * The outcome for a person whose bucket this worker no longer leases: another worker settles the person's crossings.
 */
const NOT_NOW: Either.Either<Option.Option<number>> = Either.right(Option.none())

/**
 * Like `settleOne`, but a failure is logged and returned, because it must not keep other people's crossings from being
 * settled.
 */
const attemptOne = (userId: UserId) =>
  Effect.either(
    Effect.tapError(settleOne(userId), (error) =>
      Effect.logWarning("Somebody's crossings could not be settled, later again", userId, error)
    )
  )

/**
 * Settles the crossings of one person and returns the number of events. None when another commit was faster in every
 * round.
 */
const settleOne = (userId: UserId) =>
  Effect.gen(function* () {
    const store = yield* FixStore
    for (let round = 0; round < ROUNDS; round++) {
      const now = yield* Timestamp.now
      const { rules, version } = yield* store.view(userId, [], now)
      const { firings, states } = UploadEvaluation.settle(rules, now)
      const fired = yield* named(firings)
      const isCommitted = yield* store.commitSettled({
        userId,
        now,
        version,
        states: UploadEvaluation.withEvents(states, fired),
        events: fired.map(UploadEvaluation.event)
      })
      if (!isCommitted) continue
      yield* Telemetry.measure(() => UploadFigures.fired(firings))
      return Option.some(fired.length)
    }
    return Option.none<number>()
  })

/** How often a worker looks for crossings that are due. */
const EVERY = "5 seconds"

/**
 * Runs `settleDue` every 5 seconds until it is interrupted. Never fails: crossings that could not be settled are due at
 * the next run.
 */
export const runSettling = (leases: WorkLeases) =>
  settleDue(leases.people).pipe(
    Effect.catchAllCause((cause) => Effect.logError("Crossings could not be settled, later again", cause)),
    Effect.zipRight(Effect.sleep(EVERY)),
    Effect.forever
  )
