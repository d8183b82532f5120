import { Effect, Fiber, Option } from "effect"
import { getHistoryChoice } from "../retention-choice/index.js"
import { Pacing, program, type StoreError, Timestamp } from "../shared/index.js"
import * as CsvColumns from "./CsvColumns.js"
import * as Import from "./Import.js"
import { ImportReader, withMore } from "./ImportReader.js"
import * as ImportSteps from "./importSteps.js"
import { type ClaimedImport, ImportStore, type Leased } from "./ImportStore.js"
import * as Months from "./Months.js"
import type * as Pace from "./Pace.js"

/**
 * How one pass over the file ended. "readAgain": the reader needs another pass. `fault`: why the rest of the file
 * cannot be read; null: the file was read to its end.
 */
type ReadOutcome = "leaseLost" | "readAgain" | { readonly fault: Import.ImportFault | null }

/**
 * Reads the file of an import from its beginning, skips the entries that an earlier attempt committed, and commits the
 * other entries step by step. A step stores its entries together with the number of entries that were read so far. So
 * the work can stop at any point, another worker can continue, and every entry is counted once. The reading stops at
 * the end of the file, at a fault in the file, and when the lease was lost (`Leased` says when).
 */
export const readImport = program(
  "readImport",
  function* ({ attempt, import: begun }: ClaimedImport, leased: Leased, pace: Pace.Pace) {
    const store = yield* ImportStore
    const { columns } = begun
    const reader = (yield* ImportReader).open(columns !== null && CsvColumns.isComplete(columns) ? columns : undefined)
    const months = Months.tally()
    const { cutoff } = yield* getHistoryChoice(begun.userId)
    const pause = yield* Pacing.pausing(pace)
    let bytesDone = 0
    const position = () => ({ format: reader.format(), bytesDone })
    const steps = yield* ImportSteps.make({ begun, leased, pace, pause, cutoff, months, position })

    /** Reads a piece in slices. Undefined: the piece was read without a fault, and the next piece follows. */
    const readPiece = (piece: Uint8Array): Effect.Effect<ReadOutcome | undefined, StoreError> =>
      Effect.gen(function* () {
        for (let from = 0; from < piece.length; from += pace.sliceBytes) {
          if (from > 0) yield* pause
          const slice = piece.subarray(from, from + pace.sliceBytes)
          bytesDone += slice.length
          let fault: Import.ImportFault | null = null
          for (const read of withMore(reader.push(slice))) {
            fault = read.fault
            if (!(yield* steps.add(read.entries, fault !== null))) return "leaseLost"
            if (read.more !== undefined) yield* pause
          }
          if (fault !== null) return { fault }
        }
        return undefined
      })

    /** Reads the entries that are complete only at the end of the file. */
    const readEnd: Effect.Effect<ReadOutcome, StoreError> = Effect.gen(function* () {
      let mustReadAgain = false
      let fault: Import.ImportFault | null = null
      for (const read of withMore(reader.end())) {
        mustReadAgain = read.needsAnotherPass === true
        fault = read.fault
        if (!(yield* steps.add(read.entries, read.more === undefined && !mustReadAgain))) return "leaseLost"
        if (read.more !== undefined) yield* pause
      }
      return mustReadAgain ? "readAgain" : { fault }
    })

    const readFileOnce = Effect.gen(function* () {
      bytesDone = 0
      let next = yield* Effect.fork(store.piece(leased, 0))
      for (let index = 0; ; index++) {
        const piece = yield* Fiber.join(next)
        if (Option.isNone(piece)) return yield* readEnd
        // The next piece is fetched while this piece is read.
        next = yield* Effect.fork(store.piece(leased, index + 1))
        const outcome = yield* readPiece(piece.value)
        if (outcome !== undefined) return outcome
        yield* pause
      }
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
    let outcome = yield* readFileOnce
    while (outcome === "readAgain") {
      yield* pause
      outcome = yield* readFileOnce
    }
    if (outcome === "leaseLost") return
    // An archive of this service without positions is no fault: its checksums have shown that nothing is missing.
    const isEmpty = steps.committed() === 0 && reader.format() !== "own_archive"
    return yield* finish(outcome.fault ?? (isEmpty ? "no_positions" : null))
  }
)
