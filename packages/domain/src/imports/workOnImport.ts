import { Effect, Option } from "effect"
import { getHistoryChoice } from "../history/getHistoryChoice.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Entry from "./Entry.js"
import * as Import from "./Import.js"
import { ImportReader } from "./ImportReader.js"
import { type ClaimedImport, ImportStore, type Leased } from "./ImportStore.js"

/** Entries stored in one commit: a statement of milliseconds, so that phones' uploads get in between. */
const BATCH = 1_000
/**
 * Between two steps and two pieces: an embedded database answers within the same turn of the process, so that without a pause
 * nobody else's request would be looked at before the file is read.
 */
const BREATH = Effect.sleep("1 millis")
/** While entries are skipped nothing is committed, and the lease must not run out. */
const RENEW_AFTER = Import.LEASE / 3

/**
 * Reads the file from its beginning, skips what was committed before, and commits the rest step by step: what each step stores and
 * where it leads are one. So it can end at any point and be begun again by anybody, and every entry is counted once. Stops as soon
 * as somebody else has the import, or nobody: it was removed.
 */
export const workOnImport = Effect.fn("workOnImport")(function* (
  { attempt, import: begun }: ClaimedImport,
  lease: string
) {
  const store = yield* ImportStore
  const reader = (yield* ImportReader).open()
  const { cutoff } = yield* getHistoryChoice(begun.userId)
  const leased: Leased = { userId: begun.userId, id: begun.id, lease }

  let toSkip = begun.counts.read
  let committed = begun.counts.read
  let bytesDone = 0
  let steppedAt = yield* Timestamp.now
  let waiting: Array<Entry.Entry> = []

  /** False when the import is not ours any more. */
  const step = (entries: ReadonlyArray<Entry.Entry>) =>
    Effect.gen(function* () {
      const at = yield* Timestamp.now
      steppedAt = at
      committed += entries.length
      yield* BREATH
      return yield* store.advance({
        ...leased,
        at,
        leaseUntil: Timestamp.plus(at, Import.LEASE),
        format: reader.format(),
        bytesDone,
        read: entries.length,
        ...Entry.sort(entries, begun.uploadedAt, cutoff)
      })
    })

  const take = (entries: ReadonlyArray<Entry.Entry>, isLast: boolean) =>
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
      return (yield* Timestamp.now) - steppedAt < RENEW_AFTER || (yield* step([]))
    })

  const finish = (fault: Import.Fault | null) =>
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
    const { entries, fault } = Option.match(piece, { onNone: reader.end, onSome: reader.push })
    const isLast = Option.isNone(piece) || fault !== null
    if (!(yield* take(entries, isLast))) return
    if (!isLast) {
      yield* BREATH
      continue
    }
    return yield* finish(fault ?? (committed === 0 ? "no_positions" : null))
  }
})
