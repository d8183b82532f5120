// Records how far the stays of a device are derived. Stays are stored, because deriving them for each request of an app
// would read a year of fixes. The progress has the time from which on fixes were not processed yet: one time for all
// places together, and one for each new place. Decisions visits-7 and visits-8.
import { Order } from "effect"
import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** How far the stays of one device are derived. */
export interface StayProgress {
  /** All fixes before this moment have been processed; null: all fixes. */
  readonly dueFrom: Timestamp | null
  /**
   * New places. Their stays are derived from the oldest fix on, so they are behind the other places. Ordered by place.
   */
  readonly backfills: ReadonlyArray<{ readonly placeId: PlaceId; readonly dueFrom: Timestamp }>
}

export const DONE: StayProgress = { dueFrom: null, backfills: [] }

/** The next step of the derivation: it derives the stays at `placeIds` from `from` on. */
export interface StayStep {
  readonly from: Timestamp
  readonly placeIds: ReadonlySet<PlaceId>
  /** Returns the progress after all fixes before `reached` were processed; `reached` null: after the last fix. */
  readonly done: (reached: Timestamp | null) => StayProgress
}

/**
 * The device's next step; undefined when nothing is due. New uploads come first, for all places that are up to date.
 * New places come second, from the oldest fix on, so that they do not delay the other places. With `wanted`, only the
 * new places among `wanted` are derived.
 */
export const next = (
  progress: StayProgress,
  places: ReadonlyArray<PlaceId>,
  wanted?: ReadonlySet<PlaceId>
): StayStep | undefined => {
  const { backfills, dueFrom } = progress
  if (dueFrom !== null) {
    const behind = backfills.filter((one) => one.dueFrom < dueFrom)
    const left = new Set(behind.map((one) => one.placeId))
    return {
      from: dueFrom,
      placeIds: new Set(places.filter((id) => !left.has(id))),
      done: (reached) => ({ ...progress, dueFrom: reached, backfills: behind })
    }
  }
  const eligible = backfills.filter((one) => wanted?.has(one.placeId) ?? true)
  const from = eligible.reduce<Timestamp | null>((least, one) => earlier(least, one.dueFrom), null)
  if (from === null) return undefined
  const farthest = eligible.filter((one) => one.dueFrom === from)
  const others = backfills.filter((one) => !farthest.includes(one))
  return {
    from,
    placeIds: new Set(farthest.map((one) => one.placeId)),
    done: (reached) => ({
      ...progress,
      backfills:
        reached === null ? others : [...others, ...farthest.map((one) => ({ ...one, dueFrom: reached }))].sort(byPlace)
    })
  }
}

/** Of `places`, those whose stays are not complete, each with the moment from which fixes were not processed yet. */
export const missing = (
  { backfills, dueFrom }: StayProgress,
  places: Iterable<PlaceId>
): ReadonlyArray<{ readonly placeId: PlaceId; readonly dueFrom: Timestamp }> => {
  const own = new Map(backfills.map((one) => [one.placeId, one.dueFrom]))
  return [...places].flatMap((placeId) => {
    const backfill = own.get(placeId)
    const from = backfill === undefined ? dueFrom : earlier(dueFrom, backfill)
    return from === null ? [] : [{ placeId, dueFrom: from }]
  })
}

const earlier = (a: Timestamp | null, b: Timestamp): Timestamp => (a === null || b < a ? b : a)

const byPlace = Order.mapInput(Order.string, ({ placeId }: { readonly placeId: PlaceId }) => placeId)
