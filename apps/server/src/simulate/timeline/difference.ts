// Compares two runs: finds the entries that both traces have, and where the traces begin to differ.
import type { Simulation } from "@place-access/domain/testing"

type Entry = Simulation.Entry

/** A row of the comparison: two equal entries, or an entry that only one run has. */
export interface Pair {
  readonly left: Entry | undefined
  readonly right: Entry | undefined
}

/** The most edits that the comparison tries. When more are needed, the rest of the entries counts as different. */
const MOST_EDITS = 2_000

/**
 * The entries of both runs in order. Two entries count as equal when they differ only in their numbers in the trace,
 * their times, and ids. Without this rule, every entry after a delay of a second would count as different.
 */
export const pairsOf = (left: ReadonlyArray<Entry>, right: ReadonlyArray<Entry>): ReadonlyArray<Pair> => {
  const [a, b] = [left.map(keyOf), right.map(keyOf)]
  const limit = Math.min(a.length, b.length)
  let first = 0
  while (first < limit && a[first] === b[first]) first++
  let last = 0
  while (last < limit - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last++
  const both = (from: number, to: number, shift: number) =>
    left.slice(from, to).map((entry, n): Pair => ({ left: entry, right: right[from + n + shift] }))
  return [
    ...both(0, first, 0),
    ...middle(
      { entries: left.slice(first, left.length - last), keys: a.slice(first, a.length - last) },
      { entries: right.slice(first, right.length - last), keys: b.slice(first, b.length - last) }
    ),
    ...both(left.length - last, left.length, right.length - left.length)
  ]
}

const ID = /_[0-9a-z]{24}\b/g

/** The text of an entry, without the entry's number, its operation's number, its time, and ids. */
const keyOf = (entry: Entry): string => {
  const { i: _i, op: _op, passed: _passed, t: _t, ...rest } = entry as Entry & { readonly op?: unknown }
  return JSON.stringify(rest).replaceAll(ID, "_")
}

interface Side {
  readonly entries: ReadonlyArray<Entry>
  readonly keys: ReadonlyArray<string>
}

/**
 * Pairs the entries by the shortest edit script from one list to the other (Myers, "An O(ND) Difference Algorithm",
 * 1986). When this script has more than `MOST_EDITS` edits, no entries are paired.
 */
const middle = (a: Side, b: Side): ReadonlyArray<Pair> => {
  const most = Math.min(MOST_EDITS, a.keys.length + b.keys.length)
  /**
   * For each number of edits, a map by diagonal: the furthest position in `a` that a path with fewer edits has reached.
   */
  const trail: Array<ReadonlyMap<number, number>> = []
  const reach = new Map<number, number>([[1, 0]])
  for (let edits = 0; edits <= most; edits++) {
    trail.push(new Map(reach))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [below, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1]
      let x = diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1
      while (x < a.keys.length && x - diagonal < b.keys.length && a.keys[x] === b.keys[x - diagonal]) x++
      reach.set(diagonal, x)
      if (x >= a.keys.length && x - diagonal >= b.keys.length) return walked(a, b, trail)
    }
  }
  return [
    ...a.entries.map((left): Pair => ({ left, right: undefined })),
    ...b.entries.map((right): Pair => ({ left: undefined, right }))
  ]
}

/** Walks the shortest path of edits from `a` to `b` backwards, edit by edit, and returns the path's pairs in order. */
const walked = (a: Side, b: Side, trail: ReadonlyArray<ReadonlyMap<number, number>>): ReadonlyArray<Pair> => {
  const pairs: Array<Pair> = []
  let [x, y] = [a.entries.length, b.entries.length]
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits] ?? new Map<number, number>()
    const diagonal = x - y
    const [below, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1]
    const before = diagonal === -edits || (diagonal !== edits && below < above) ? diagonal + 1 : diagonal - 1
    const [fromX, fromY] = edits === 0 ? [0, 0] : [reach.get(before) ?? 0, (reach.get(before) ?? 0) - before]
    while (x > fromX && y > fromY) pairs.push({ left: a.entries[--x], right: b.entries[--y] })
    if (edits > 0)
      pairs.push(x > fromX ? { left: a.entries[--x], right: undefined } : { left: undefined, right: b.entries[--y] })
  }
  return pairs.toReversed()
}
