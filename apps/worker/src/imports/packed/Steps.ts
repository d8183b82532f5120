import type { Entry, FileReader, ReadResult } from "@place-access/domain/imports"

/**
 * The work on a packed file, divided into steps. Each step unpacks few bytes and gives the entries in them, so that a
 * small piece of a file cannot become millions of entries in memory. A reader within a reader passes its steps on to
 * the outermost reader. The caller must take all steps of one call before the next call.
 */
export type Steps<A = Outcome> = Generator<ReadonlyArray<Entry.ImportEntry>, A>

/** The result of a call of a reader, after its last step. */
export type Outcome = Omit<ReadResult, "entries" | "more">

/** The entries of a step that only unpacks. Between two steps, other work of the process can run. */
export const NO_ENTRIES: ReadonlyArray<Entry.ImportEntry> = []

export const NO_FAULT: Outcome = { fault: null }

/** A `FileReader` whose work is divided into steps. */
export interface StepReader {
  readonly format: FileReader["format"]
  readonly push: (bytes: Uint8Array) => Steps
  readonly end: () => Steps
}

/** The most unpacked bytes that a reader of entries gets in one step. */
export const STEP_BYTES = 65_536

/** Cuts bytes into slices of at most `most` bytes. */
export function* slices(bytes: Uint8Array, most: number): Generator<Uint8Array, void> {
  for (let from = 0; from < bytes.length; from += most) yield bytes.subarray(from, from + most)
}

/** A reader of a file that is not packed. */
export const fromReader = (reader: FileReader): StepReader => ({
  format: reader.format,
  push: function* (bytes) {
    for (const slice of slices(bytes, STEP_BYTES)) {
      const { entries, fault } = reader.push(slice)
      yield entries
      if (fault !== null) return { fault }
    }
    return NO_FAULT
  },
  end: function* () {
    const { entries, fault } = reader.end()
    yield entries
    return { fault }
  }
})

/** Turns the outermost reader into a `FileReader`, which returns the entries of one step at a time. */
export const toReader = (reader: StepReader): FileReader => ({
  format: reader.format,
  push: (bytes) => resultOf(reader.push(bytes)),
  end: () => resultOf(reader.end())
})

const resultOf = (steps: Steps): ReadResult => {
  const next = steps.next()
  return next.done === true
    ? { entries: [], ...next.value }
    : { entries: next.value, fault: null, more: () => resultOf(steps) }
}
