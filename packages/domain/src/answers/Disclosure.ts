// The texts of the access log about answers. Each text says what an answer disclosed to the app, and never contains a
// coordinate (Spec §1.7). Decisions answers-5 and answers-8.
import type * as Nearest from "../fixes/Nearest.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as Words from "../shared/Words.js"
import type { CurrentPlace } from "./CurrentPlace.js"
import type { PlaceAtMoment } from "./PlaceAtMoment.js"
import type { Presence } from "./Presence.js"

/** The text of the log entry when the app asked during a pause where the user is or was (decision connection-4). */
export const PAUSED = "Nothing, because you had paused the app"

/** The text of the log entry when the app asked for the user's current place. */
export const ofCurrentPlace = ({ place, state }: CurrentPlace): string =>
  state === "at_place"
    ? `You were at ${place.label}`
    : state === "elsewhere"
      ? "You were at none of the places that it may ask about"
      : "It was not known where you were"

/** The text of the log entry when the app read the list of places. */
export const ofSharedPlaces = (count: number): string =>
  count === 0 ? "that it may ask about none of your places" : `the names of ${Words.count(count, "shared place")}`

/** The text of the log entry when the app asked whether the user is at a place. */
export const ofPresence = (label: string, { state }: Presence): string =>
  state === "unknown"
    ? `It was not known whether you were at ${label}`
    : `You were ${state === "yes" ? "" : "not "}at ${label}`

/**
 * The text of the log entry when the app asked whether the user is in a circle. `label` is the app's name for the
 * circle.
 */
export const ofZone = (label: string, radiusM: number, { state }: Presence): string =>
  `whether you were within ${Math.round(radiusM)} m of “${label}”: ${state === "unknown" ? "not known" : state}`

/** The text of the log entry when the app asked at which place the user was at a moment. */
export const ofPlaceAtMoment = (at: Timestamp, { asOf, place }: PlaceAtMoment): string =>
  asOf === null
    ? `It was not known where you were on ${Words.moment(at)}`
    : `You were at ${place === null ? "none of the places that it may ask about" : place.label} on ${Words.moment(asOf)}`

/** The text of the log entry when the app asked for the newest coordinates. It does not repeat the coordinates. */
export const ofLatest = (isKnown: boolean): string =>
  isKnown ? "your last known location" : "that no location of yours is known"

/** The text of the log entry when the app asked for the coordinates nearest to a moment. */
export const ofNearest = (at: Timestamp, nearest: Nearest.Nearest | undefined): string =>
  nearest === undefined
    ? `that your location on ${Words.moment(at)} is not known`
    : `your location on ${Words.moment(nearest.fix.capturedAt)}`

interface Stretch {
  readonly from: Timestamp
  readonly until: Timestamp
}

/** The text of the log entry when the app read the coordinates of a stretch of time. */
export const ofRange = (count: number, stretch: Stretch): string =>
  `${Words.count(count, "location")} ${between(stretch)}`

/** The text of the log entry when the app read how many coordinates there are for each day. */
export const ofDays = (count: number, stretch: Stretch): string =>
  `how many locations there are on each of ${Words.count(count, "day")} ${between(stretch)}`

const between = ({ from, until }: Stretch): string => `from ${Words.moment(from)} to ${Words.moment(until)}`
