import { type CompletedCall, isBefore, isDone, mayBeDone } from "./Happened.js"

/**
 * A value that one operation sets and another reads. If operations overlap or have unknown outcomes, a read returns
 * every value that may have been there.
 */
export interface Register<V> {
  readonly write: (by: CompletedCall, value: V) => void
  /** Every value that the register may have contained between the entries `begin` and `end`. */
  readonly possible: (begin: number, end: number) => ReadonlyArray<V>
  readonly writes: ReadonlyArray<Write<V>>
}

/** A write that happened, or may have happened. */
export interface Write<V> {
  readonly begin: number
  readonly end: number
  readonly beganAt: number
  readonly endedAt: number
  readonly isCertain: boolean
  readonly value: V
}

/** `initial` is the value before the first write. Without `initial`, the register is empty until the first write. */
export const make = <V>(...initial: ReadonlyArray<V>): Register<V> => {
  const writes: Array<Write<V>> = initial.map((value) => ({
    begin: -1,
    end: -1,
    beganAt: -Infinity,
    endedAt: -Infinity,
    isCertain: true,
    value
  }))
  return {
    writes,
    write: (by, value) => {
      if (!mayBeDone(by)) return
      const { beganAt, begin, end, endedAt } = by
      writes.push({ begin, end, beganAt, endedAt, isCertain: isDone(by), value })
    },
    possible: (begin, end) => {
      // A write that ended before `begin` counts, unless a later write, which also ended before `begin`, certainly
      // overwrote its value.
      const settled = Math.max(
        -Infinity,
        ...writes.map((write) => (write.isCertain && write.end < begin ? write.begin : -Infinity))
      )
      return writes
        .filter((write) => write.begin <= end && !isBefore(write, { begin: settled }))
        .map(({ value }) => value)
    }
  }
}
