// The entries of a file, counted by month. Decision imports-12.
import { make, parseIso, toIso, type Timestamp } from "../shared/Timestamp.js"

/**
 * The entries of one month, in UTC. Duplicates, and entries in stretches that the user deleted, are in `read` and in no
 * other count.
 */
export interface MonthCounts {
  /**
   * The month, such as `2024-03`. Null for entries without a time, for entries outside of the years that `monthOf`
   * reads, and for entries of months that have no count of their own (`MAX_MONTHS`).
   */
  readonly month: string | null
  readonly read: number
  readonly stored: number
  readonly tooRecent: number
  readonly tooOld: number
  readonly quarantined: number
}

type Why = "tooRecent" | "tooOld" | "quarantined"

/**
 * The most rows of counts, including the row whose month is null: a made-up file could have entries of a million
 * months. Entries of further months are counted under the month null.
 */
export const MAX_MONTHS = 1_200

/** Counts entries while they are read. */
export interface MonthTally {
  /** Counts one entry. `why`: the reason why the entry is not stored; undefined when the store gets the entry. */
  readonly add: (at: Timestamp | undefined, why: Why | undefined) => void
  /** The counts, ordered by month. The entries without a month come first. */
  readonly months: () => ReadonlyArray<MonthCounts>
}

interface Counting {
  read: number
  tooRecent: number
  tooOld: number
  quarantined: number
}

/** Makes a tally without entries. */
export const tally = (): MonthTally => {
  const months = new Map<string | null, Counting>()
  /**
   * The bounds and the counts of the last entry's month. The next entry is nearly always in the same month, so its
   * month need not be computed.
   */
  let [from, until, last] = [0, 0, of(months, null)]
  return {
    add: (at, why) => {
      const isLast = at !== undefined && at >= from && at < until
      if (!isLast) {
        last = of(months, at === undefined ? null : monthOf(at))
        ;[from, until] = at === undefined ? [0, 0] : edges(at)
      }
      last.read++
      if (why !== undefined) last[why]++
    },
    months: () =>
      [...months]
        .filter(([, { read }]) => read > 0)
        .sort(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1))
        .map(([month, counts]) => ({ month, stored: 0, ...counts }))
  }
}

/** The months, with the number of stored entries in each. */
export const withStored = (
  months: ReadonlyArray<MonthCounts>,
  stored: ReadonlyMap<string, number>
): ReadonlyArray<MonthCounts> =>
  months.map((one) => ({ ...one, stored: one.month === null ? 0 : (stored.get(one.month) ?? 0) }))

/**
 * The time from the first month until the last month of which the store got entries. Undefined: the store got no entry
 * with a month.
 */
export const spanStored = (
  months: ReadonlyArray<MonthCounts>
): { readonly from: Timestamp; readonly until: Timestamp } | undefined => {
  const edges = months.flatMap(({ month, quarantined, read, tooOld, tooRecent }) =>
    month !== null && read > tooRecent + tooOld + quarantined ? edgesOf(month) : []
  )
  if (edges.length === 0) return undefined
  return { from: make(Math.min(...edges)), until: make(Math.max(...edges)) }
}

const of = (months: Map<string | null, Counting>, month: string | null): Counting => {
  const key = months.size < MAX_MONTHS || months.has(month) ? month : null
  const found = months.get(key) ?? { read: 0, tooRecent: 0, tooOld: 0, quarantined: 0 }
  months.set(key, found)
  return found
}

/** The first and last instant of the years 1000 to 9999. Nobody has history outside of these years. */
const [FIRST, LAST] = [-30_610_224_000_000, 253_402_300_799_999]

/** The month of a time in UTC, such as `2024-03`. Null outside of the years 1000 to 9999. */
export const monthOf = (at: Timestamp): string | null => (at < FIRST || at > LAST ? null : toIso(at).slice(0, 7))

const edges = (at: Timestamp): readonly [number, number] => {
  const month = monthOf(at)
  return month === null ? [0, 0] : edgesOf(month)
}

const edgesOf = (month: string): readonly [from: number, until: number] => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return [beginningOf(year, number), number === 12 ? beginningOf(year + 1, 1) : beginningOf(year, number + 1)]
}

/**
 * The first instant of a month. `parseIso` reads no year after 9999, so the month after December 9999 begins one
 * millisecond after `LAST`.
 */
const beginningOf = (year: number, month: number): number =>
  parseIso(`${String(year)}-${String(month).padStart(2, "0")}-01T00:00:00Z`) ?? LAST + 1
