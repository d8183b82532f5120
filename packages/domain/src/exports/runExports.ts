import { Cause, Effect, Option } from "effect"
import { announceAudit, AuditEvent } from "../audit/index.js"
import { orHandBack } from "../leases/Stopping.js"
import type { PeopleLeases, WorkLeases } from "../leases/WorkLeases.js"
import { Entropy, program, Timestamp } from "../shared/index.js"
import * as Export from "./Export.js"
import { ExportStore, type LeasedExport } from "./ExportStore.js"
import { makeArchive } from "./makeArchive.js"

/**
 * Makes one attempt at an export. Of the due exports of people whose buckets this worker leases, it takes the export
 * that was requested first. False when no attempt was made: no export was due, another attempt began first, or this
 * worker lost the bucket's lease.
 */
export const exportNext = program("exportNext", function* (people: PeopleLeases) {
  const due = yield* (yield* ExportStore).due(yield* people.buckets, yield* Timestamp.now)
  if (Option.isNone(due)) return false
  return Option.contains(yield* people.using(due.value.userId, attempt(due.value)), true)
})

/** Makes one attempt at an export. False when the export was no longer due. */
const attempt = ({ id, userId }: Export.ExportKey) =>
  Effect.gen(function* () {
    const store = yield* ExportStore
    const leased: LeasedExport = { userId, id, lease: yield* Entropy.id("lse") }
    const now = yield* Timestamp.now
    const claimed = yield* store.claim(leased, now, Timestamp.plus(now, Export.PATIENCE))
    if (Option.isNone(claimed)) return false
    yield* work(leased, claimed.value.attempt).pipe(
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.logWarning("An archive is left to its next attempt", id, cause)
      ),
      orHandBack(store.handBack(leased))
    )
    return true
  })

const work = (leased: LeasedExport, attempt: number) =>
  Effect.gen(function* () {
    const made =
      attempt > Export.MAX_ATTEMPTS ? ({ _tag: "Failed", fault: "gave_up" } as const) : yield* makeArchive(leased)
    const at = yield* Timestamp.now
    const store = yield* ExportStore
    switch (made._tag) {
      case "LeaseLost":
        return
      case "Failed":
        yield* store.finish(leased, { ...made, at }, Export.failedMail(leased, made.fault))
        return
      case "Made": {
        const expiresAt = Timestamp.plus(at, Export.KEPT_FOR)
        const event = AuditEvent.byOwner(leased.userId, at, { kind: "export_made" })
        const isReady = yield* store.finish(
          leased,
          { _tag: "Ready", bytes: made.bytes, pieces: made.pieces, at, expiresAt },
          Export.readyMail(leased, expiresAt),
          event
        )
        if (isReady) yield* announceAudit(event)
      }
    }
  })

/** How often a worker looks for due exports. */
const EVERY = "5 seconds"

/** Makes archives, one at a time, and deletes expired archives, until it is interrupted. Never fails. */
export const runExports = (leases: WorkLeases) => {
  const repeated = <E, R>(work: Effect.Effect<void, E, R>) =>
    work.pipe(
      Effect.catchAllCause((cause) => Effect.logError("Archives could not be worked on, later again", cause)),
      Effect.zipRight(Effect.sleep(EVERY)),
      Effect.forever
    )
  const making = Effect.gen(function* () {
    while (yield* exportNext(leases.people));
  })
  // Expired archives are deleted in a separate loop, because the loop that makes archives does not pause while many
  // exports are due.
  return Effect.all([repeated(making), repeated(deleteExpired(leases.people))], {
    concurrency: "unbounded",
    discard: true
  })
}

const deleteExpired = (people: PeopleLeases) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const forgetBefore = Timestamp.plus(now, -Export.LISTED_FOR)
    const expired = yield* (yield* ExportStore).expire(yield* people.buckets, now, forgetBefore)
    if (expired > 0) yield* Effect.logInfo("Archives expired and were deleted", expired)
  })
