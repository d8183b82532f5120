// The readings of a simulated trip. Decision test-people-4.
import { Either } from "effect"
import type { Reading } from "../fixes/Fix.js"
import type { Circle, Point } from "../places/Geometry.js"
import { Conflict } from "../shared/Errors.js"
import { MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** A simulated trip of a test person's phone. Its last reading is captured now, or `lateMinutes` ago. */
export type Trip =
  /** Arrival: a reading outside of the circle, then a reading at its centre. */
  | (Quality & { readonly kind: "arrive"; readonly circle: Circle })
  /** Departure: a reading at the centre of the circle, then a reading outside. */
  | (Quality & { readonly kind: "leave"; readonly circle: Circle })
  /** Stay: a reading outside of the circle, then a reading every minute at its centre, for `minutes` minutes. */
  | (Quality & { readonly kind: "stay"; readonly circle: Circle; readonly minutes: number })
  /** A recorded log, moved in time so that its last reading is captured at the end of the trip. */
  | (Pick<Quality, "lateMinutes"> & { readonly kind: "log"; readonly readings: ReadonlyArray<Reading> })

export type TripKind = Trip["kind"]

interface Quality {
  /** The accuracy of each reading in metres. */
  readonly accuracyM: number
  /**
   * How many minutes before its upload the last reading was captured. A reading that is older than 15 minutes at its
   * upload fires no rule (Spec §4.6.4).
   */
  readonly lateMinutes: number
}

export const ACCURACY_M = { least: 1, most: 10_000, usual: 10 } as const
export const MINUTES = { least: 5, most: 720, usual: 30 } as const
export const LATE_MINUTES = { least: 0, most: 1_440, usual: 0 } as const
/** The minimum and the maximum number of readings of a recorded log. */
export const LOG_READINGS = { least: 1, most: 1_000 } as const
/**
 * The maximum size of a file with a recorded log, in bytes. It allows a kilobyte for each reading, which is more than
 * any format needs.
 */
export const LOG_BYTES = 1_048_576
/**
 * The maximum number of bytes to which a compressed file with a recorded log may unpack, including entries that are not
 * the log.
 */
export const LOG_UNPACKED_BYTES = 4 * LOG_BYTES
/**
 * The maximum number of entries of a file with a recorded log. Entries without a reading count too, such as visits, and
 * rows that the phone wrote when it did not know where it was.
 */
export const LOG_ENTRIES = 10 * LOG_READINGS.most

/**
 * The minimum distance, in metres, from the edge of the circle to a reading outside. A reading at this distance counts
 * as neither inside nor outside when its accuracy is much worse than the distance.
 */
const OUTSIDE_M = 500
/** The usual time between the trip's reading outside the circle and the neighbouring reading at the centre. */
const APPROACH = MINUTE

/**
 * The readings of the trip, oldest first. `lastAt` is when the person's newest reading was captured. A rule ignores
 * readings that are not newer than the newest reading that the rule has used. So a trip begins after `lastAt`, except a
 * late trip and a recorded log. Fails with `Conflict` when there is not enough time between `lastAt` and now.
 */
export const readings = (
  trip: Trip,
  lastAt: Timestamp | null,
  now: Timestamp
): Either.Either<ReadonlyArray<Reading>, Conflict> => {
  const end = plus(now, -Math.round(trip.lateMinutes * MINUTE))
  if (trip.kind === "log") return Either.right(movedTo(trip.readings, end))
  // The readings of a late trip may be older than readings that the phone has uploaded already. Older readings fire no
  // rule, as with a real phone.
  const after = trip.lateMinutes > 0 ? null : lastAt
  return trip.kind === "stay" ? stay(trip, after, end) : crossing(trip, after, end)
}

const crossing = (
  { accuracyM, circle, kind }: Extract<Trip, { readonly kind: "arrive" | "leave" }>,
  after: Timestamp | null,
  end: Timestamp
): Either.Either<ReadonlyArray<Reading>, Conflict> => {
  // When another trip ended less than `APPROACH` ago, the time between this trip's two readings is shorter than
  // `APPROACH`. Otherwise a developer would have to wait a minute between two trips.
  const begin = Math.max(end - APPROACH, after === null ? -Infinity : after + 1) as Timestamp
  if (begin >= end) return Either.left(new Conflict({ reason: TOO_SOON }))
  const points = kind === "arrive" ? [outside(circle), circle] : [circle, outside(circle)]
  return Either.right(points.map((point, index) => at(point, index === 0 ? begin : end, accuracyM)))
}

const stay = (
  { accuracyM, circle, minutes }: Extract<Trip, { readonly kind: "stay" }>,
  after: Timestamp | null,
  end: Timestamp
): Either.Either<ReadonlyArray<Reading>, Conflict> => {
  const begin = plus(end, -minutes * MINUTE)
  if (after !== null && after >= begin - APPROACH) {
    return Either.left(new Conflict({ reason: tooLong(Math.floor((end - APPROACH - after - 1) / MINUTE)) }))
  }
  const inside = Array.from({ length: minutes + 1 }, (_, minute) => at(circle, plus(begin, minute * MINUTE), accuracyM))
  return Either.right([at(outside(circle), plus(begin, -APPROACH), accuracyM), ...inside])
}

const TOO_SOON = "the phone has just sent a reading; wait a moment"

const tooLong = (most: number): string =>
  most < MINUTES.least
    ? "a stay lies after the newest reading of the phone, and the phone sent one a moment ago; make another test person"
    : `a stay lies after the newest reading of the phone: at most ${most} minutes now, or make another test person`

const at = ({ lat, lon }: Point, capturedAt: Timestamp, accuracyM: number): Reading => ({
  capturedAt,
  lat,
  lon,
  accuracyM
})

/**
 * Metres of a degree of latitude, rounded down (a real degree has 110.5 km or more), so that the point outside is at
 * least `OUTSIDE_M` from the edge.
 */
const METRES_OF_A_DEGREE = 110_000

/** A point outside of the circle, towards the equator, so that the point is never beyond a pole. */
const outside = ({ lat, lon, radiusM }: Circle): Point => ({
  lat: lat - (lat < 0 ? -1 : 1) * ((radiusM + OUTSIDE_M) / METRES_OF_A_DEGREE),
  lon
})

const movedTo = (log: ReadonlyArray<Reading>, end: Timestamp): ReadonlyArray<Reading> => {
  const last = Math.max(...log.map(({ capturedAt }) => capturedAt))
  return log
    .map((reading) => ({ ...reading, capturedAt: plus(end, reading.capturedAt - last) }))
    .sort((a, b) => a.capturedAt - b.capturedAt)
}
