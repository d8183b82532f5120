// A visit as an app may see it (decision visits-9).
import { Order } from "effect"
import type { PlaceId, Timestamp } from "../shared/index.js"

/** A user's visit to a place (Spec §2.5), for an app that knows the place. */
export interface Visit {
  readonly placeId: PlaceId
  readonly arrival: Timestamp.Timestamp
  /** Null while the visit is open. */
  readonly departure: Timestamp.Timestamp | null
  /**
   * True: the user left at `departure` or later, at an unknown time. The phone was silent for hours after `departure`,
   * and far away when it sent again (`Stay.heardUntil`).
   */
  readonly isUncertain: boolean
}

/**
 * The position of the last visit of a page, for the cursor. It contains no device id, because the same device id in the
 * cursors of two apps would show that both connections belong to one user.
 */
export interface Position {
  readonly arrival: Timestamp.Timestamp
  readonly placeId: PlaceId
}

/**
 * The order of visits: newest arrival first, then by place id. Of visits with the same arrival and place, the longest
 * comes first.
 */
export const byArrival = (a: Omit<Visit, "isUncertain">, b: Omit<Visit, "isUncertain">): number =>
  b.arrival - a.arrival ||
  Order.string(a.placeId, b.placeId) ||
  (b.departure ?? Number.MAX_VALUE) - (a.departure ?? Number.MAX_VALUE)

/** Whether the visit comes after `position`, so that it belongs on a later page. */
export const isAfter = (visit: Visit, position: Position | undefined): boolean =>
  position === undefined ||
  visit.arrival < position.arrival ||
  (visit.arrival === position.arrival && visit.placeId > position.placeId)

/**
 * Whether the visit is older than the history that the user keeps. The departure decides. For an open visit, `heardAt`
 * decides: the time at which the phone last sent something new; null: an open visit counts as older. `cutoff` null: all
 * history is kept.
 */
export const isPast = (
  { departure }: Pick<Visit, "departure">,
  heardAt: Timestamp.Timestamp | null,
  cutoff: Timestamp.Timestamp | null
): boolean => cutoff !== null && (departure ?? heardAt ?? cutoff) <= cutoff

/**
 * Sorts visits, and keeps one visit for each arrival at a place. So when a person carries two phones that report the
 * same arrival, the result has one visit.
 */
export const merge = (visits: ReadonlyArray<Visit>): ReadonlyArray<Visit> =>
  [...visits].sort(byArrival).filter((visit, index, all) => {
    const before = all[index - 1]
    return before?.arrival !== visit.arrival || before.placeId !== visit.placeId
  })
