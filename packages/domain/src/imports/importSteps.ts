// The steps in which an attempt stores the entries of a file.
import { Effect } from "effect"
import { type StoreError, Timestamp } from "../shared/index.js"
import { Vault } from "../shared/Vault.js"
import * as Entry from "./Entry.js"
import type { Import } from "./Import.js"
import * as ImportedDevice from "./ImportedDevice.js"
import * as ImportedPlace from "./ImportedPlace.js"
import { type FileReader } from "./ImportReader.js"
import { ImportStore, type Leased } from "./ImportStore.js"
import type { MonthTally } from "./Months.js"
import type * as Pace from "./Pace.js"

/** The parameters of the steps of one attempt. */
interface ImportStepOptions {
  readonly begun: Import
  readonly leased: Leased
  readonly pace: Pace.Pace
  /** Pauses between two pieces of work. `pace` says how long a pause is. */
  readonly pause: Effect.Effect<void>
  /** The user keeps only history after this time. Null: all history. */
  readonly cutoff: Timestamp.Timestamp | null
  readonly months: MonthTally
  /** The format of the file, and how many bytes have been read. The next step stores both values. */
  readonly position: () => { readonly format: ReturnType<FileReader["format"]>; readonly bytesDone: number }
}

interface ImportSteps {
  /**
   * Adds entries in the order of the file, skips the entries that an earlier attempt committed, and stores each full
   * step. `isLast`: no entries follow, so the last, shorter step is stored too. False when the lease was lost.
   */
  readonly add: (entries: ReadonlyArray<Entry.ImportEntry>, isLast: boolean) => Effect.Effect<boolean, StoreError>
  /** How many entries of the file are in a committed step. The entries that earlier attempts committed count too. */
  readonly committed: () => number
}

/**
 * Makes the steps of one attempt. The next entries are read only after a step is stored: if a file were read and stored
 * at the same time, an import would use two processors, and other requests would wait (decision imports-8).
 */
export const make = ({ begun, cutoff, leased, months, pace, pause, position }: ImportStepOptions) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const vault = yield* Vault
    const deviceOf = ImportedDevice.finder(begun.deviceId, vault)
    let toSkip = begun.counts.read
    let committed = begun.counts.read
    let waiting: Array<Entry.ImportEntry> = []

    /** Stores a step. False when the lease was lost. */
    const storeStep = (entries: ReadonlyArray<Entry.ImportEntry>) =>
      Effect.gen(function* () {
        yield* pause
        const { places, ...sorted } = Entry.sort(entries, begun.uploadedAt, cutoff, months, deviceOf)
        const returned = places.flatMap((place) => ImportedPlace.returned(begun.userId, place, vault) ?? [])
        const { bytesDone, format } = position()
        const at = yield* Timestamp.now
        const step = { ...leased, at, format, bytesDone, read: entries.length, ...sorted, places: returned }
        const isStored = yield* store.advance(step)
        if (isStored) committed += entries.length
        return isStored
      })

    /** Leaves out the entries that an earlier attempt committed. */
    const withoutCommitted = (entries: ReadonlyArray<Entry.ImportEntry>): ReadonlyArray<Entry.ImportEntry> => {
      const skipped = Math.min(toSkip, entries.length)
      toSkip -= skipped
      // An earlier attempt committed the entries before `skipped`, but not their counts by month, which are stored only
      // when the import ends. So `sort` counts these entries again, and finds their devices in the same order.
      if (skipped > 0) Entry.sort(entries.slice(0, skipped), begun.uploadedAt, cutoff, months, deviceOf)
      return entries.slice(skipped)
    }

    const add = (entries: ReadonlyArray<Entry.ImportEntry>, isLast: boolean) =>
      Effect.gen(function* () {
        const all = waiting.concat(withoutCommitted(entries))
        const fewest = isLast ? 1 : pace.stepEntries
        let from = 0
        for (; all.length - from >= fewest; from += pace.stepEntries) {
          if (!(yield* storeStep(all.slice(from, from + pace.stepEntries)))) return false
        }
        waiting = all.slice(from)
        return true
      })

    const steps: ImportSteps = { add, committed: () => committed }
    return steps
  })
