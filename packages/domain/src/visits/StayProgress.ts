import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** How far the stays of one device are derived. */
export interface Progress {
  /** Stays are derived from all fixes before this moment; null: from all fixes. */
  readonly dueFrom: Timestamp | null
  /** Places that are not as far: new ones, which come from the beginning. By place. */
  readonly backfills: ReadonlyArray<{ readonly placeId: PlaceId; readonly dueFrom: Timestamp }>
}

export const DONE: Progress = { dueFrom: null, backfills: [] }

/** What is to be derived next: the stays at these places from this moment on. */
export interface Step {
  readonly from: Timestamp
  readonly placeIds: ReadonlySet<PlaceId>
  /** Once all fixes before `reached` are done; null: all that there are. */
  readonly done: (reached: Timestamp | null) => Progress
}

/**
 * What the device owes next, undefined when it is nothing. What the phone just uploaded goes first, for all places that are as
 * far as that; new places come from the beginning afterwards, so that they hold nothing up. Of these only `wanted`, when given.
 */
export const next = (
  progress: Progress,
  places: ReadonlyArray<PlaceId>,
  wanted?: ReadonlySet<PlaceId>
): Step | undefined => {
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

/** Of these places those that are not derived to the end, each with the moment from which on fixes are missing. */
export const missing = (
  { backfills, dueFrom }: Progress,
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

const byPlace = (a: { readonly placeId: PlaceId }, b: { readonly placeId: PlaceId }): number =>
  a.placeId < b.placeId ? -1 : a.placeId > b.placeId ? 1 : 0
