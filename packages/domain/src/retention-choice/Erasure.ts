// Stretches of time whose history the owner deleted. Decision retention-choice-4.
import { DAY, type Timestamp } from "../shared/Timestamp.js"

/** A stretch of time. */
export interface Stretch {
  /** Inclusive: this instant counts. */
  readonly from: Timestamp
  /** Exclusive: this instant no longer counts. */
  readonly until: Timestamp
}

/** A stretch whose history was deleted. No reading in it is ever stored again. */
export interface Erasure extends Stretch {
  /** When the owner deleted it, or the last of the stretches that became this one. */
  readonly erasedAt: Timestamp
}

/** The longest stretch that is deleted at once: all of it is deleted in one transaction. */
export const LONGEST_MS = 31 * DAY

/** The most stretches that are remembered for one person. Stretches that touch are one. */
export const MOST = 500

/** Why a stretch is refused, and the field that is wrong. */
export interface BadStretch {
  readonly field: "from" | "until"
  readonly reason: string
}

/** What is wrong with a stretch, if anything. Only the past can be deleted. */
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

/** Whether a reading or a report of a visit says a time in one of the stretches. */
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

/** The stretches with one more, by time. Those that touch it become one with it. */
export const add = (erasures: ReadonlyArray<Erasure>, added: Erasure): ReadonlyArray<Erasure> => {
  const apart = erasures.filter((one) => !touch(one, added))
  const joined = erasures
    .filter((one) => touch(one, added))
    .reduce(
      (all, { from, until }): Erasure => ({
        from: from < all.from ? from : all.from,
        until: until > all.until ? until : all.until,
        erasedAt: all.erasedAt
      }),
      added
    )
  return [...apart, joined].sort((a, b) => a.from - b.from)
}

/**
 * The end of something that began at `arrival`, where a deleted stretch cuts it off: the beginning of the first stretch
 * after it. Null: no stretch cuts it off before `departure` (null: it goes on).
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
 * A report of a visit without what lies in deleted stretches; undefined: nothing is left. A report that reaches into a
 * stretch ends where the stretch begins, and so does one that reaches beyond it.
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
