import { type Duration, Effect, Option } from "effect"
import { WorkSignal } from "../events/index.js"
import { everything, type PeopleLeases, type WorkLeases } from "../leases/WorkLeases.js"
import { JudgedClock, program, Timestamp, type UserId } from "../shared/index.js"
import { FixStore } from "./FixStore.js"
import { named } from "./ingestFixes.js"
import * as UploadEvaluation from "./UploadEvaluation.js"

/** The most people that one read returns. */
const BATCH = 100

/** Attempts per person, because an upload may be committed between read and commit. The next run tries again. */
const ROUNDS = 4

/**
 * Fires the crossings that no fix has contradicted within the `settleS` of their rules (decision rules-13). A phone
 * that sleeps sends nothing, so the clock decides. Returns the number of events. An upload does the same for its user.
 * Both commits check the user's version (`UploadView.version`), so an event is written once.
 */
export const settleDue = program("settleDue", function* (people: PeopleLeases = everything.people) {
  // A clock that runs ahead would fire crossings before their time.
  if (!(yield* JudgedClock.isRight)) return 0
  const store = yield* FixStore
  let events = 0
  for (;;) {
    const due = yield* store.settling(yield* people.buckets, yield* Timestamp.now, BATCH)
    let settled = 0
    for (const userId of due) {
      const one = Option.flatten(yield* people.using(userId, settleOne(userId)))
      if (Option.isSome(one)) settled++
      events += Option.getOrElse(one, () => 0)
    }
    // People who were not settled are still due and come first: the next run tries them again.
    if (due.length < BATCH || settled < due.length) break
  }
  if (events > 0) yield* (yield* WorkSignal).raise
  return events
})

/** Settles one person and returns the number of events. None when another commit was faster in every round. */
const settleOne = (userId: UserId) =>
  Effect.gen(function* () {
    const store = yield* FixStore
    for (let round = 0; round < ROUNDS; round++) {
      const now = yield* Timestamp.now
      const { rules, version } = yield* store.view(userId, null, [], now)
      const { firings, states } = UploadEvaluation.settle(rules, now)
      const fired = yield* named(firings)
      const isCommitted = yield* store.commitSettled({
        userId,
        now,
        version,
        states: UploadEvaluation.withEvents(states, fired),
        events: fired.map(UploadEvaluation.event)
      })
      if (isCommitted) return Option.some(fired.length)
    }
    return Option.none<number>()
  })

/** Runs `settleDue` until interrupted. Never fails: what failed is due at the next run. */
export const runSettling = (leases: WorkLeases = everything, every: Duration.DurationInput = "5 seconds") =>
  settleDue(leases.people).pipe(
    Effect.catchAllCause((cause) => Effect.logError("Crossings could not be settled, later again", cause)),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever
  )
