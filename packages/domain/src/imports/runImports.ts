import { Cause, Duration, Effect, Option } from "effect"
import { type UserId } from "../shared/Ids.js"
import { Entropy, Timestamp } from "../shared/index.js"
import { orHandBack } from "../leases/Stopping.js"
import type { PeopleLeases, WorkLeases } from "../leases/WorkLeases.js"
import * as Import from "./Import.js"
import { ImportStore, type Leased, type ImportKey } from "./ImportStore.js"
import * as Pace from "./Pace.js"
import { readImport } from "./readImport.js"
import { undoNow } from "./undoNow.js"

/**
 * The next due import of the people whose buckets this worker leases, without the people of `besides`. An import waits
 * for the worker that leases its owner's bucket, even when another worker is idle.
 */
export const nextDue = (people: PeopleLeases, besides: ReadonlyArray<UserId>) =>
  Effect.gen(function* () {
    return yield* (yield* ImportStore).due(yield* people.buckets, yield* Timestamp.now, besides)
  })

/**
 * Makes one attempt to read or undo the import. False when the import is not due, or when this worker does not lease
 * the bucket of the import's owner.
 */
export const attempt = (people: PeopleLeases, of: ImportKey, pace: Pace.Pace) =>
  Effect.map(people.using(of.userId, attemptHeld(of, pace)), Option.contains(true))

const attemptHeld = ({ id, userId }: ImportKey, pace: Pace.Pace) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const leased: Leased = { userId, id, lease: yield* Entropy.id("lse") }
    const now = yield* Timestamp.now
    const claimed = yield* store.claim(leased, now, Timestamp.plus(now, Import.RETRY_AFTER))
    if (Option.isNone(claimed)) return false
    const isUndone = claimed.value.import.state === "undoing"
    const work = isUndone ? undoNow(leased, pace) : readImport(claimed.value, leased, pace)
    yield* Effect.raceFirst(work, renewed(leased)).pipe(
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.logWarning("An import is left to its next attempt", id, cause)
      ),
      orHandBack(store.handBack(leased))
    )
    return true
  })

/** Renews the lease of an import until the lease is lost (`Leased` says when), or until this effect is interrupted. */
const renewed = (leased: Leased) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    for (;;) {
      yield* Effect.sleep(Import.RENEW_EVERY)
      const dueAt = Timestamp.plus(yield* Timestamp.now, Import.RETRY_AFTER)
      // A failed renewal must not end the attempt, because the next renewal may succeed before the lease ends.
      if (!(yield* Effect.catchAll(store.renew(leased, dueAt), () => Effect.succeed(true)))) return
    }
  })

/** How often a worker looks for due imports. For the same time it skips a person whose import it could not begin. */
const EVERY = "5 seconds"

/**
 * Reads and undoes imports, and removes broken-off uploads and imports that were `asking` for too long. Runs until it
 * is interrupted, and never fails. Works on up to `pace.atOnce` imports at a time, each of another person.
 */
export const runImports = (leases: WorkLeases, pace: Pace.Pace = Pace.QUICK) =>
  Effect.suspend(() => {
    const slots = Effect.unsafeMakeSemaphore(pace.atOnce)
    /**
     * The people whose import is being read or undone. Their other imports wait, so that one person cannot occupy all
     * slots.
     */
    const busy = new Set<UserId>()
    /**
     * The people whose due import could not be claimed, each with the time until which the loop skips them. Otherwise
     * the loop would try the same import again and again.
     */
    const skippedUntil = new Map<UserId, Timestamp.Timestamp>()
    const skipForAWhile = (userId: UserId) =>
      Effect.map(Timestamp.now, (now) => skippedUntil.set(userId, Timestamp.plus(now, Duration.toMillis(EVERY))))

    const read = (of: ImportKey) =>
      attempt(leases.people, of, pace).pipe(
        Effect.tap((isClaimed) => (isClaimed ? undefined : skipForAWhile(of.userId))),
        Effect.tapErrorCause(() => skipForAWhile(of.userId)),
        Effect.catchAllCause(logged),
        Effect.ensuring(
          Effect.zipRight(
            Effect.sync(() => busy.delete(of.userId)),
            slots.release(1)
          )
        )
      )

    /** Waits for a free slot, and then starts the next due import. False when no import may start. */
    const startNext = Effect.gen(function* () {
      yield* slots.take(1)
      const now = yield* Timestamp.now
      for (const [userId, until] of skippedUntil) if (until <= now) skippedUntil.delete(userId)
      const due = yield* Effect.onError(nextDue(leases.people, [...busy, ...skippedUntil.keys()]), () =>
        slots.release(1)
      )
      if (Option.isNone(due)) {
        yield* slots.release(1)
        return false
      }
      busy.add(due.value.userId)
      yield* Effect.fork(read(due.value))
      return true
    })

    const reading = Effect.gen(function* () {
      while (yield* startNext);
    })
    const repeated = <E, R>(work: Effect.Effect<unknown, E, R>) =>
      work.pipe(Effect.catchAllCause(logged), Effect.zipRight(Effect.sleep(EVERY)), Effect.forever)

    // Broken-off uploads are removed in a separate loop, because the loop that reads files does not pause while imports
    // of many people wait.
    const cleaning = leases.chores.using("broken_uploads", dropBrokenOff)
    return Effect.all([repeated(reading), repeated(cleaning)], { concurrency: "unbounded", discard: true })
  })

const logged = (cause: Cause.Cause<unknown>) =>
  Cause.isInterruptedOnly(cause)
    ? Effect.interrupt
    : Effect.logError("Imports could not be worked on, later again", cause)

const dropBrokenOff = Effect.gen(function* () {
  const dropped = yield* (yield* ImportStore).dropBrokenOff(yield* Timestamp.now)
  if (dropped > 0) yield* Effect.logInfo("Uploads that broke off were thrown away", dropped)
})
