// Records how far the stays of a device are derived. Stays are stored. Otherwise each request of an app would derive
// all stays anew, from a year of fixes. The progress is a time before which all fixes have been processed. There is one
// such time for all places together, and one for each new place. Decisions visits-7 and visits-8.
import { Order } from "effect"
import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** How far the stays of one device are derived. */
export interface StayProgress {
  /** All fixes before this moment have been processed. Null: all fixes have been processed. */
  readonly dueFrom: Timestamp | null
  /**
   * The new places, ordered by id. At a new place, stays are derived from the oldest fix on, so its progress is behind
   * the progress of the other places.
   */
  readonly backfills: ReadonlyArray<{ readonly placeId: PlaceId; readonly dueFrom: Timestamp }>
}

export const DONE: StayProgress = { dueFrom: null, backfills: [] }

/**
 * One step of the derivation. It derives the stays at `placeIds` from the fixes that were captured at `from` or later.
 */
export interface StayStep {
  readonly from: Timestamp
  readonly placeIds: ReadonlySet<PlaceId>
  /**
   * Returns the progress after the step has processed all fixes before `reached`. `reached` null: it has processed all
   * fixes.
   */
  readonly done: (reached: Timestamp | null) => StayProgress
}

/**
 * The device's next step; undefined when nothing is due. New fixes come first, for all places that have reached
 * `dueFrom`. New places come second, from the oldest fix on, so that they do not delay the other places. `wanted`: the
 * new places that may be derived; left out: all new places.
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

/**
 * The places of `places` whose stays are not complete. `dueFrom`: the stays at this place are derived from all fixes
 * before this time.
 */
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
