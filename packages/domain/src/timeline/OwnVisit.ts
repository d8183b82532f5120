// A visit as the person who made it sees it, and how the visit ends. Decision timeline-4.
import type { PlaceRef } from "../places/Place.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"

export interface OwnVisit {
  readonly arrival: Timestamp
  readonly departure: Timestamp | null
  /** True: the time when the person left is unknown; it is `departure` or later (`Visit.isUncertain`). */
  readonly isUncertain: boolean
  readonly place: PlaceRef
}

/**
 * Milliseconds. After this long without a reading, it is unknown where the person is. A shorter silence is normal,
 * because a phone at rest may send only one reading an hour.
 */
export const LONG_SILENCE = 70 * MINUTE

/** Whether a reading is too old to show where the person is now. */
export const isOld = (heardAt: Timestamp, now: Timestamp): boolean => now - heardAt >= LONG_SILENCE

/**
 * How a visit ends. `left`: the person left at the departure. `still`: the visit lasts until now: the phone still sends
 * readings, or no reading was captured since the arrival (`endOf`). `unheard`: no reading shows that the person left,
 * and the phone has been silent since `at`. `uncertain`: after `at` the phone was silent for hours and then far away,
 * so it is unknown when the person left.
 */
export interface VisitEnd {
  readonly kind: "left" | "still" | "unheard" | "uncertain"
  readonly at: Timestamp
}

/**
 * How the visit ends. `heardAt` is the time of the newest reading of the owner's phones. When `heardAt` is null or
 * before the arrival, an open visit counts as going on: such a visit comes from a phone's visit report, and the silence
 * of the phone does not end it.
 */
export const endOf = (
  { arrival, departure, isUncertain }: Pick<OwnVisit, "arrival" | "departure" | "isUncertain">,
  heardAt: Timestamp | null,
  now: Timestamp
): VisitEnd => {
  if (departure !== null) return { kind: isUncertain ? "uncertain" : "left", at: departure }
  return heardAt === null || heardAt < arrival || !isOld(heardAt, now)
    ? { kind: "still", at: now }
    : { kind: "unheard", at: heardAt }
}
