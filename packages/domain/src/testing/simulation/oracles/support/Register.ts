import { type Did, isBefore, isDone, mayBeDone } from "./Happened.js"

/** Something that one operation sets and others read: what it may have held, when operations overlap and outcomes are unknown. */
export interface Register<V> {
  readonly write: (by: Did, value: V) => void
  /** Every value that it may have held at some moment from `begin` to `end`. */
  readonly possible: (begin: number, end: number) => ReadonlyArray<V>
  readonly writes: ReadonlyArray<Write<V>>
}

interface Write<V> {
  readonly begin: number
  readonly end: number
  readonly beganAt: number
  readonly endedAt: number
  readonly isCertain: boolean
  readonly value: V
}

/** `initial`: what it holds before anybody sets it; nothing when it is not there before. */
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
      // Of those settled before, only what the last of them cannot have overwritten is left.
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
