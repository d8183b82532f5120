import type { UserConnection } from "../connection/ConnectionView.js"
import type { Place } from "../places/Place.js"
import type { OwnVisit } from "./Trace.js"

/** A place with what its owner wants to know of it (decision places-5). */
export interface PlaceCard {
  readonly place: Place
  /** The live connections that share the place, by the app's name. */
  readonly sharedWith: ReadonlyArray<UserConnection>
  /** The newest visit; null when none of the newest visits that were read was there. */
  readonly lastVisit: OwnVisit | null
}

/** The card of a place: who it is shared with, and when its owner was there last. */
export const of = (
  places: ReadonlyArray<Place>,
  connections: ReadonlyArray<UserConnection>,
  visits: ReadonlyArray<OwnVisit>
): ReadonlyArray<PlaceCard> =>
  places.map((place) => ({
    place,
    sharedWith: connections
      .filter((one) => one.live && one.places.some(({ placeId }) => placeId === place.id))
      .sort((a, b) => (a.app.name < b.app.name ? -1 : a.app.name > b.app.name ? 1 : 0)),
    lastVisit: visits
      .filter(({ place: { id } }) => id === place.id)
      .reduce<OwnVisit | null>((last, one) => (last === null || one.arrival > last.arrival ? one : last), null)
  }))
