import { Effect, Fiber, Option } from "effect"
import { getHistoryChoice } from "../retention-choice/index.js"
import { Pacing, program, type StoreError, Timestamp } from "../shared/index.js"
import { Vault } from "../shared/Vault.js"
import * as Entry from "./Entry.js"
import * as Import from "./Import.js"
import * as ImportedDevice from "./ImportedDevice.js"
import * as ImportedPlace from "./ImportedPlace.js"
import { ImportReader, withMore } from "./ImportReader.js"
import { type ClaimedImport, ImportStore, type Leased } from "./ImportStore.js"
import * as Months from "./Months.js"
import type * as Pace from "./Pace.js"
import * as CsvColumns from "./CsvColumns.js"

/**
 * Reads the file from its beginning, skips entries that were committed before, and commits the other entries step by
 * step. A step stores its entries and the new position together. So the work can stop at any point, another worker can
 * go on, and every entry is counted once. The reading stops when the lease was lost or the import was removed.
 *
 * The next entries are read while a step is being stored. There is one step at a time, so the steps are stored in the
 * order of the file.
 */
export const readImport = program(
  "readImport",
  function* ({ attempt, import: begun }: ClaimedImport, leased: Leased, pace: Pace.Pace) {
    const store = yield* ImportStore
    const vault = yield* Vault
    const { columns } = begun
    const reader = (yield* ImportReader).open(columns !== null && CsvColumns.isComplete(columns) ? columns : undefined)
    const months = Months.tally()
    const deviceOf = ImportedDevice.finder(begun.deviceId, vault)
    const { cutoff } = yield* getHistoryChoice(begun.userId)

    let toSkip = begun.counts.read
    let committed = begun.counts.read
    let bytesDone = 0
    let waiting: Array<Entry.ImportEntry> = []
    let storing: Fiber.RuntimeFiber<boolean, StoreError> | undefined
    const pause = yield* Pacing.pausing(pace)

    /** Waits until the last step is stored. False when the lease was lost. */
    const stored = Effect.suspend(() => (storing === undefined ? Effect.succeed(true) : Fiber.join(storing)))

    /** Begins to store a step, after the step before it was stored. False when the lease was lost. */
    const step = (entries: ReadonlyArray<Entry.ImportEntry>) =>
      Effect.gen(function* () {
        committed += entries.length
        yield* pause
        const { places, ...sorted } = Entry.sort(entries, begun.uploadedAt, cutoff, months, deviceOf)
        const returned = places.flatMap((place) => ImportedPlace.returned(begun.userId, place, vault) ?? [])
        if (!(yield* stored)) return false
        const [format, at] = [reader.format(), yield* Timestamp.now]
        const next = { ...leased, at, format, bytesDone, read: entries.length, ...sorted, places: returned }
        storing = yield* Effect.fork(store.advance(next))
        return true
      })

    const take = (entries: ReadonlyArray<Entry.ImportEntry>, isLast: boolean) =>
      Effect.gen(function* () {
        const skipped = Math.min(toSkip, entries.length)
        toSkip -= skipped
        // An earlier attempt stored these entries, but not their counts by month, which are stored at the end. The
        // devices are found anew, in the same order.
        if (skipped > 0) Entry.sort(entries.slice(0, skipped), begun.uploadedAt, cutoff, months, deviceOf)
        const all = waiting.concat(entries.slice(skipped))
        const fewest = isLast ? 1 : pace.stepEntries
        let from = 0
        for (; all.length - from >= fewest; from += pace.stepEntries) {
          if (!(yield* step(all.slice(from, from + pace.stepEntries)))) return false
        }
        waiting = all.slice(from)
        return true
      })

    /** Reads a piece in slices. `isHeld`: false when the lease was lost. */
    const readPiece = (piece: Uint8Array) =>
      Effect.gen(function* () {
        let fault: Import.ImportFault | null = null
        for (let from = 0; from < piece.length && fault === null; from += pace.sliceBytes) {
          if (from > 0) yield* pause
          const slice = piece.subarray(from, from + pace.sliceBytes)
          bytesDone += slice.length
          for (const read of withMore(reader.push(slice))) {
            fault = read.fault
            if (!(yield* take(read.entries, fault !== null))) return { isHeld: false, fault }
            if (read.more !== undefined) yield* pause
          }
        }
        return { isHeld: true, fault }
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
        yield* store.finish(leased, error, yield* Timestamp.now, months.months())
      })

    if (attempt > Import.MAX_ATTEMPTS) return yield* finish("gave_up")
    let next = yield* Effect.fork(store.piece(leased, 0))
    for (let position = 0; ; position++) {
      const piece = yield* Fiber.join(next)
      // The next piece is fetched while this piece is read.
      if (Option.isSome(piece)) next = yield* Effect.fork(store.piece(leased, position + 1))
      let fault: Import.ImportFault | null
      if (Option.isSome(piece)) {
        const read = yield* readPiece(piece.value)
        if (!read.isHeld) return
        fault = read.fault
        if (fault === null) {
          yield* pause
          continue
        }
      } else {
        let isAgain = false
        fault = null
        for (const rest of withMore(reader.end())) {
          isAgain = rest.isAgain === true
          fault = rest.fault
          if (!(yield* take(rest.entries, rest.more === undefined && !isAgain))) return
          if (rest.more !== undefined) yield* pause
        }
        if (isAgain) {
          position = -1
          bytesDone = 0
          next = yield* Effect.fork(store.piece(leased, 0))
          yield* pause
          continue
        }
      }
      if (!(yield* stored)) return
      // An archive of this service is complete without positions too: its checksums say so.
      const isEmpty = committed === 0 && reader.format() !== "own_archive"
      return yield* finish(fault ?? (isEmpty ? "no_positions" : null))
    }
  }
)
