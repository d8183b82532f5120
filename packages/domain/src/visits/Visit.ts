import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** Time that the user spent at a place (Spec §2.5), as told to an app that knows the place. */
export interface Visit {
  readonly placeId: PlaceId
  readonly arrival: Timestamp
  /** Null while the visit is open. */
  readonly departure: Timestamp | null
}

/** The last visit of a page. It names no phone: an app could tell by it whose connections belong together. */
export interface Position {
  readonly arrival: Timestamp
  readonly placeId: PlaceId
}

/** Newest arrival first, then by place; of one arrival at one place what lasted longest. */
export const byArrival = (a: Visit, b: Visit): number =>
  b.arrival - a.arrival ||
  (a.placeId < b.placeId ? -1 : a.placeId > b.placeId ? 1 : 0) ||
  (b.departure ?? Number.MAX_VALUE) - (a.departure ?? Number.MAX_VALUE)

/** Whether it stands on a later page than `position`. */
export const isAfter = (visit: Visit, position: Position | undefined): boolean =>
  position === undefined ||
  visit.arrival < position.arrival ||
  (visit.arrival === position.arrival && visit.placeId > position.placeId)

/**
 * Past the user's choice of how long history is kept, at `cutoff` or before it: a visit that has ended by its departure, an open one
 * when its phone was last heard of.
 */
export const isPast = (
  { departure }: Pick<Visit, "departure">,
  heardAt: Timestamp | null,
  cutoff: Timestamp | null
): boolean => cutoff !== null && (departure ?? heardAt ?? cutoff) <= cutoff

/** In order, and once for each arrival at a place: two phones in one pocket made one visit. */
export const merge = (visits: ReadonlyArray<Visit>): ReadonlyArray<Visit> =>
  [...visits].sort(byArrival).filter((visit, index, all) => {
    const before = all[index - 1]
    return before?.arrival !== visit.arrival || before.placeId !== visit.placeId
  })
