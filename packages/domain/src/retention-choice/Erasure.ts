// Stretches of time whose history the owner deleted. Decision retention-choice-4.
import type { ImportId } from "../shared/Ids.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"

/** A stretch of time, from `from` to just before `until`. */
export interface Stretch {
  /** Inclusive: this instant counts. */
  readonly from: Timestamp
  /** Exclusive: this instant does not count. */
  readonly until: Timestamp
}

/**
 * A stretch whose history the owner deleted. While the stretch is stored, the service stores no reading from this
 * stretch.
 */
export interface Erasure extends Stretch {
  /** When the owner deleted the stretch, or an import stored it; for merged stretches, the latest of these times. */
  readonly erasedAt: Timestamp
  /**
   * The import that restored the stretch from an archive (decision exports-10). Undefined: the owner deleted the
   * stretch in this account. Undoing the import removes its stretches, so stretches of different origins are not
   * merged.
   */
  readonly importId?: ImportId
}

/**
 * The longest stretch that one request can delete, in milliseconds. One transaction deletes all of it, so it must not
 * be too long.
 */
export const LONGEST_MS = 31 * DAY

/**
 * The maximum number of deleted stretches that are stored for one person. Stretches that touch are merged and count
 * once, except stretches of imports.
 */
export const MOST = 500

/** A refused stretch: the field that is wrong, and the reason. */
export interface BadStretch {
  readonly field: "from" | "until"
  readonly reason: string
}

/**
 * Why the history of a stretch cannot be deleted; undefined when it can. A stretch that reaches into the future cannot
 * be deleted.
 */
export const fault = ({ from, until }: Stretch, now: Timestamp): BadStretch | undefined => {
  if (until > now) return { field: "until", reason: "must not be in the future" }
  if (from >= until) return { field: "until", reason: "must be later than from" }
  if (until - from > LONGEST_MS) return { field: "until", reason: "must be at most 31 days later than from" }
  return undefined
}

/** Whether the instant lies in the stretch. */
export const covers = ({ from, until }: Stretch, at: Timestamp): boolean => from <= at && at < until

/** Whether the instant is in one of the deleted stretches. */
export const isErased = (at: Timestamp, erasures: ReadonlyArray<Stretch>): boolean =>
  erasures.some((one) => covers(one, at))

/**
 * A reading or visit report that was quarantined. Its times may be wrong, so nobody knows when the entry was captured.
 */
export interface PutAside {
  readonly reading:
    | { readonly capturedAt: Timestamp }
    | { readonly arrival: Timestamp | null; readonly departure: Timestamp | null }
  readonly receivedAt: Timestamp
}

/**
 * Whether the quarantined entry may come from one of the stretches (decision retention-choice-5): one of its times or
 * the time of its receipt lies in the stretch, or the stretch lies between the receipt and a later time of the entry.
 * In the last case the stretch may contain the readings that show that the later time is wrong (decision fixes-4). With
 * these readings deleted, nobody could tell whether the later time is right.
 */
export const mayComeFrom = ({ reading, receivedAt }: PutAside, erasures: ReadonlyArray<Stretch>): boolean => {
  const times = "capturedAt" in reading ? [reading.capturedAt] : [reading.arrival, reading.departure]
  return erasures.some(
    (one) =>
      covers(one, receivedAt) ||
      times.some((at) => at !== null && at >= one.from && (at < one.until || receivedAt < one.until))
  )
}

/** Whether two stretches overlap, or one begins where the other ends. */
const touch = (a: Stretch, b: Stretch): boolean => a.from <= b.until && b.from <= a.until

const join = (all: Erasure, { from, until }: Stretch): Erasure => ({
  from: from < all.from ? from : all.from,
  until: until > all.until ? until : all.until,
  erasedAt: all.erasedAt
})

const byTime = (a: Stretch, b: Stretch): number => a.from - b.from

/**
 * The parts of `one` that no stretch of `others` covers. When no stretch of `others` overlaps `one`, the result is
 * `one` itself.
 */
const outside = (one: Erasure, others: ReadonlyArray<Stretch>): ReadonlyArray<Erasure> =>
  others.reduce<ReadonlyArray<Erasure>>(
    (parts, { from, until }) =>
      parts.flatMap((part) =>
        part.until <= from || part.from >= until
          ? [part]
          : [
              ...(part.from < from ? [{ ...part, until: from }] : []),
              ...(part.until > until ? [{ ...part, from: until }] : [])
            ]
      ),
    [one]
  )

/**
 * The stored stretches after the owner deletes `added`, ordered by time. Stretches that the owner deleted before and
 * that touch `added` are merged with it. Stretches of imports keep the parts that `added` does not cover. So no two
 * stretches overlap.
 */
export const add = (erasures: ReadonlyArray<Erasure>, added: Erasure): ReadonlyArray<Erasure> => {
  const own = erasures.filter(({ importId }) => importId === undefined)
  const joined = own.filter((one) => touch(one, added)).reduce(join, added)
  const apart = own.filter((one) => !touch(one, added))
  const imported = erasures.filter(({ importId }) => importId !== undefined)
  return [...apart, joined, ...imported.flatMap((one) => outside(one, [joined]))].sort(byTime)
}

/**
 * The stored stretches in the form in which the owner sees them: stretches that touch are merged, also if their origins
 * differ.
 */
export const merged = (erasures: ReadonlyArray<Erasure>): ReadonlyArray<Erasure> =>
  [...erasures].sort(byTime).reduce<ReadonlyArray<Erasure>>((all, { erasedAt, from, until }) => {
    const [last, one] = [all.at(-1), { from, until, erasedAt }]
    if (last === undefined || !touch(last, one)) return [...all, one]
    return [...all.slice(0, -1), join(erasedAt > last.erasedAt ? { ...last, erasedAt } : last, one)]
  }, [])

/**
 * The stored stretches after the import of an archive with the stretch `added`, which the owner had deleted in another
 * account (decision exports-10). The parts of `added` that were not deleted yet are stored as stretches of the import.
 * Undefined when the import leaves the stretch out, in three cases: all of the stretch is deleted already; there would
 * be more than `MOST` stretches; or the user has history from the stretch, which an import must not delete.
 */
export const restored = (
  erasures: ReadonlyArray<Erasure>,
  added: Erasure,
  hasHistory: boolean
): ReadonlyArray<Erasure> | undefined => {
  const parts = outside(added, erasures)
  if (parts.length === 0 || hasHistory) return undefined
  const all = [...erasures, ...parts].sort(byTime)
  return all.length > MOST ? undefined : all
}

/**
 * The time at which deleted stretches end a visit or stay: the beginning of the first stretch that begins after
 * `arrival` and before `departure`. `departure` is null while the visit goes on. Null: no stretch ends the visit.
 */
export const cutOff = (
  { arrival, departure }: { readonly arrival: Timestamp; readonly departure: Timestamp | null },
  erasures: ReadonlyArray<Stretch>
): Timestamp | null =>
  erasures.reduce<Timestamp | null>(
    (first, { from }) =>
      from > arrival && (departure === null || from < departure) && (first === null || from < first) ? from : first,
    null
  )

/**
 * The part of a visit report that may be stored; undefined when no part may be stored. A report that begins in a
 * deleted stretch is dropped. A report without an arrival is dropped when its departure is in a stretch. A report that
 * reaches into a stretch, or beyond it, is shortened: it ends where the stretch begins. A report without a departure
 * stays without one, and is not shortened.
 */
export const withoutErased = <A extends { readonly arrival: Timestamp | null; readonly departure: Timestamp | null }>(
  report: A,
  erasures: ReadonlyArray<Stretch>
): A | undefined => {
  const { arrival, departure } = report
  if (arrival === null) return departure !== null && isErased(departure, erasures) ? undefined : report
  if (isErased(arrival, erasures)) return undefined
  const end = departure === null ? null : cutOff({ arrival, departure }, erasures)
  return end === null ? report : { ...report, departure: end }
}
