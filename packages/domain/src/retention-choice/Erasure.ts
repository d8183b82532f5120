// Stretches of time whose history the owner deleted. Decision retention-choice-4.
import type { ImportId } from "../shared/Ids.js"
import { DAY, type Timestamp } from "../shared/Timestamp.js"

/** A stretch of time, from `from` to just before `until`. */
export interface Stretch {
  /** Inclusive: this instant counts. */
  readonly from: Timestamp
  /** Exclusive: this instant no longer counts. */
  readonly until: Timestamp
}

/** A stretch whose history was deleted. No reading from this time is ever stored again. */
export interface Erasure extends Stretch {
  /** When the owner deleted the stretch; for merged stretches, the time of the last deletion. */
  readonly erasedAt: Timestamp
  /**
   * The import whose archive had the stretch (decision exports-10). Undefined: the owner deleted the stretch in this
   * account. Undoing the import removes its stretches, so the stretches of different origins are not merged.
   */
  readonly importId?: ImportId
}

/** Milliseconds. The longest stretch that can be deleted at once, because one transaction deletes all of it. */
export const LONGEST_MS = 31 * DAY

/** The most deleted stretches that are stored for one person. Stretches that touch are merged. */
export const MOST = 500

/** Why a stretch is refused, and the field that is wrong. */
export interface BadStretch {
  readonly field: "from" | "until"
  readonly reason: string
}

/** Why a stretch cannot be deleted; undefined when it can be deleted. Only the past can be deleted. */
export const fault = ({ from, until }: Stretch, now: Timestamp): BadStretch | undefined => {
  if (until > now) return { field: "until", reason: "must not be in the future" }
  if (from >= until) return { field: "until", reason: "must be later than from" }
  if (until - from > LONGEST_MS) return { field: "until", reason: "must be at most 31 days later than from" }
  return undefined
}

/** Whether the instant lies in the stretch. */
export const covers = ({ from, until }: Stretch, at: Timestamp): boolean => from <= at && at < until

/** Whether history of this instant was deleted. */
export const isErased = (at: Timestamp, erasures: ReadonlyArray<Stretch>): boolean =>
  erasures.some((one) => covers(one, at))

/** Whether a reading was captured in one of the stretches, or a visit report has its arrival or departure in one. */
export const isAbout = (
  said:
    | { readonly capturedAt: Timestamp }
    | { readonly arrival: Timestamp | null; readonly departure: Timestamp | null },
  erasures: ReadonlyArray<Stretch>
): boolean =>
  ("capturedAt" in said ? [said.capturedAt] : [said.arrival, said.departure]).some(
    (at) => at !== null && isErased(at, erasures)
  )

/** Whether two stretches overlap, or one begins where the other ends. */
const touch = (a: Stretch, b: Stretch): boolean => a.from <= b.until && b.from <= a.until

const join = (all: Erasure, { from, until }: Stretch): Erasure => ({
  from: from < all.from ? from : all.from,
  until: until > all.until ? until : all.until,
  erasedAt: all.erasedAt
})

const byTime = (a: Stretch, b: Stretch): number => a.from - b.from

/** The parts of `one` that no stretch of `others` covers; `one` itself when none of them overlaps it. */
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
 * The stored stretches with `added`, which the owner deletes, ordered by time. Own stretches that touch `added` are
 * merged with it. Stretches of imports keep the parts that `added` does not cover. So no two stretches overlap.
 */
export const add = (erasures: ReadonlyArray<Erasure>, added: Erasure): ReadonlyArray<Erasure> => {
  const own = erasures.filter(({ importId }) => importId === undefined)
  const joined = own.filter((one) => touch(one, added)).reduce(join, added)
  const apart = own.filter((one) => !touch(one, added))
  const imported = erasures.filter(({ importId }) => importId !== undefined)
  return [...apart, joined, ...imported.flatMap((one) => outside(one, [joined]))].sort(byTime)
}

/** The stored stretches as the owner sees them: those that touch are one, whatever their origins. */
export const merged = (erasures: ReadonlyArray<Erasure>): ReadonlyArray<Erasure> =>
  [...erasures].sort(byTime).reduce<ReadonlyArray<Erasure>>((all, { erasedAt, from, until }) => {
    const [last, one] = [all.at(-1), { from, until, erasedAt }]
    if (last === undefined || !touch(last, one)) return [...all, one]
    return [...all.slice(0, -1), join(erasedAt > last.erasedAt ? { ...last, erasedAt } : last, one)]
  }, [])

/**
 * The stored stretches after the import of an archive with the stretch `added`, which the owner had deleted in another
 * account (decision exports-10). The import gets the parts of `added` that were not deleted yet. Undefined: the stretch
 * is left out, because it is there already, because there are too many, or because the user has history of this time:
 * an import deletes nothing.
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
 * The time at which a deleted stretch cuts off a visit or stay: the beginning of the first stretch that begins after
 * `arrival` and before `departure` (`departure` null: the visit is still open). Null when no stretch cuts it off.
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
 * The part of a visit report that may stay; undefined when nothing may. A report that begins in a deleted stretch is
 * dropped, and so is a report without an arrival whose departure is in a stretch. A report that reaches into a stretch,
 * or beyond it, ends where the stretch begins. A report without a departure is not cut.
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
