// A visit as its owner reads it, and until when it is known. Decision timeline-4.
import type { PlaceRef } from "../places/Place.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"

export interface OwnVisit {
  readonly arrival: Timestamp
  readonly departure: Timestamp | null
  /** The person left at `departure` or later (`Visit.isUncertain`). */
  readonly isUncertain: boolean
  readonly place: PlaceRef
}

/**
 * Without a reading for this long, where the person is counts as unknown. A resting phone sends at least one an hour.
 */
export const LONG_SILENCE = 70 * MINUTE

/** Whether a reading is too old to tell where the person is now. */
export const isOld = (heardAt: Timestamp, now: Timestamp): boolean => now - heardAt >= LONG_SILENCE

/**
 * How a visit ends. `left`: at the departure. `still`: the phone sends, so the visit lasts until now. `unheard`:
 * nothing says that the person left, and the phone has been silent since `at`. `uncertain`: after `at` the phone was
 * silent for hours, and then far away: when the person left is not known.
 */
export interface VisitEnd {
  readonly kind: "left" | "still" | "unheard" | "uncertain"
  readonly at: Timestamp
}

/** `heardAt`: the newest reading of the owner's phones; null or before the visit: only a phone's report shows it. */
export const endOf = (
  { arrival, departure, isUncertain }: Pick<OwnVisit, "arrival" | "departure" | "isUncertain">,
  heardAt: Timestamp | null,
  now: Timestamp
): VisitEnd => {
  if (departure !== null) return { kind: isUncertain ? "uncertain" : "left", at: departure }
  return heardAt === null || heardAt <= arrival || !isOld(heardAt, now)
    ? { kind: "still", at: now }
    : { kind: "unheard", at: heardAt }
}
