import { Cause, type Duration, Effect, Option } from "effect"
import { getHistoryChoice } from "../retention-choice/index.js"
import { Entropy, program, Timestamp } from "../shared/index.js"
import { Vault } from "../shared/Vault.js"
import { everything, type PeopleLeases, type WorkLeases } from "../leases/WorkLeases.js"
import * as Entry from "./Entry.js"
import * as Import from "./Import.js"
import * as ImportedPlace from "./ImportedPlace.js"
import { ImportReader } from "./ImportReader.js"
import { type ClaimedImport, ImportStore, type Leased, type Owned } from "./ImportStore.js"

/**
 * Reads the file of one waiting import of these people to its end. False when none waits. An import has the home of its
 * owner, so it waits for the worker of that home, also when another worker is idle.
 */
export const importNext = program("importNext", function* (people: PeopleLeases = everything.people) {
  const due = yield* (yield* ImportStore).due(yield* people.buckets, yield* Timestamp.now)
  if (Option.isNone(due)) return false
  return Option.contains(yield* people.using(due.value.userId, attempt(due.value)), true)
})

/** False when the import was no longer due. */
const attempt = ({ id, userId }: Owned) =>
  Effect.gen(function* () {
    const leased: Leased = { userId, id, lease: yield* Entropy.id("lse") }
    const now = yield* Timestamp.now
    const claimed = yield* (yield* ImportStore).claim(leased, now, Timestamp.plus(now, Import.RETRY_AFTER))
    if (Option.isNone(claimed)) return false
    yield* Effect.catchAllCause(workOnImport(claimed.value, leased), (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.logWarning("An import is left to its next attempt", id, cause)
    )
    return true
  })

/** Reads imports, one at a time, until interrupted, and removes broken-off uploads. Never fails. */
export const runImports = (leases: WorkLeases = everything, every: Duration.DurationInput = "5 seconds") =>
  Effect.gen(function* () {
    while (yield* importNext(leases.people));
    yield* leases.chores.using("broken_uploads", dropBrokenOff)
  }).pipe(
    Effect.catchAllCause((cause) => Effect.logError("Imports could not be worked on, later again", cause)),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever
  )

const dropBrokenOff = Effect.gen(function* () {
  const before = Timestamp.plus(yield* Timestamp.now, -Import.UPLOAD_PATIENCE)
  const dropped = yield* (yield* ImportStore).dropBrokenOff(before)
  if (dropped > 0) yield* Effect.logInfo("Uploads that broke off were thrown away", dropped)
})

/** Entries in one commit: its statement takes milliseconds, so that uploads of phones do not wait. */
const BATCH = 1_000
/** Between steps and pieces: an embedded database answers at once, and other requests would never run. */
const BREATH = Effect.sleep("1 millis")
/**
 * Reads the file from its beginning, skips entries that were committed before, and commits the others step by step. A
 * step stores its entries and the new position together. So the work can stop at any point, another worker can go on,
 * and every entry is counted once. It stops when the lease was lost or the import was removed.
 */
const workOnImport = program("workOnImport", function* ({ attempt, import: begun }: ClaimedImport, leased: Leased) {
  const store = yield* ImportStore
  const vault = yield* Vault
  const reader = (yield* ImportReader).open()
  const { cutoff } = yield* getHistoryChoice(begun.userId)

  let toSkip = begun.counts.read
  let committed = begun.counts.read
  let bytesDone = 0
  let waiting: Array<Entry.ImportEntry> = []

  /** False when the lease was lost. */
  const step = (entries: ReadonlyArray<Entry.ImportEntry>) =>
    Effect.gen(function* () {
      const at = yield* Timestamp.now
      committed += entries.length
      yield* BREATH
      const { places, ...sorted } = Entry.sort(entries, begun.uploadedAt, cutoff)
      return yield* store.advance({
        ...leased,
        at,
        format: reader.format(),
        bytesDone,
        read: entries.length,
        ...sorted,
        places: places.flatMap((place) => ImportedPlace.returned(begun.userId, place, vault) ?? [])
      })
    })

  const take = (entries: ReadonlyArray<Entry.ImportEntry>, isLast: boolean) =>
    Effect.gen(function* () {
      const skipped = Math.min(toSkip, entries.length)
      toSkip -= skipped
      waiting = waiting.concat(entries.slice(skipped))
      const fewest = isLast ? 1 : BATCH
      while (waiting.length >= fewest) {
        const now = waiting.slice(0, BATCH)
        waiting = waiting.slice(BATCH)
        if (!(yield* step(now))) return false
      }
      return true
    })

  const finish = (fault: Import.ImportFault | null) =>
    Effect.gen(function* () {
      const counts = Option.map(yield* store.find(leased), ({ counts }) => counts)
      const error =
        fault === null
          ? null
          : Import.explain(
              fault,
              Option.getOrElse(counts, () => Import.NOTHING_READ)
            )
      yield* store.finish(leased, error, yield* Timestamp.now)
    })

  if (attempt > Import.MAX_ATTEMPTS) return yield* finish("gave_up")
  for (let position = 0; ; position++) {
    const piece = yield* store.piece(leased, position)
    if (Option.isSome(piece)) bytesDone += piece.value.length
    const { entries, fault, isAgain } = Option.match(piece, { onNone: reader.end, onSome: reader.push })
    if (isAgain === true) {
      position = -1
      bytesDone = 0
      yield* BREATH
      continue
    }
    const isLast = Option.isNone(piece) || fault !== null
    if (!(yield* take(entries, isLast))) return
    if (!isLast) {
      yield* BREATH
      continue
    }
    return yield* finish(fault ?? (committed === 0 ? "no_positions" : null))
  }
})
