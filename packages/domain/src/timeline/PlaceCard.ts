import type { UserConnection } from "../connection/ConnectionView.js"
import type { Place } from "../places/Place.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { type OwnVisit, type VisitEnd, endOf } from "./OwnVisit.js"

/** A place, with the facts that a card shows to its owner (decision places-5). */
export interface PlaceCard {
  readonly place: Place
  /** The live connections that share the place, ordered by the app's name. */
  readonly sharedWith: ReadonlyArray<UserConnection>
  /** The newest visit to the place and how it ends; null when none of `visits` is a visit to this place. */
  readonly lastVisit: (OwnVisit & { readonly end: VisitEnd }) | null
}

/**
 * The cards of these places. `visits` are the owner's newest visits, at any place. `heardAt` is the time of the newest
 * reading of the owner's phones, from which `endOf` decides how a visit ends.
 */
export const of = (
  places: ReadonlyArray<Place>,
  connections: ReadonlyArray<UserConnection>,
  visits: ReadonlyArray<OwnVisit>,
  heardAt: Timestamp | null,
  now: Timestamp
): ReadonlyArray<PlaceCard> => {
  const last = (place: Place): PlaceCard["lastVisit"] => {
    const own = visits.filter(({ place: { id } }) => id === place.id)
    const newest = own.reduce<OwnVisit | null>((a, b) => (a === null || b.arrival > a.arrival ? b : a), null)
    return newest === null ? null : { ...newest, end: endOf(newest, heardAt, now) }
  }
  return places.map((place) => ({
    place,
    sharedWith: connections
      .filter((one) => one.live && one.places.some(({ placeId }) => placeId === place.id))
      .sort((a, b) => (a.app.name < b.app.name ? -1 : a.app.name > b.app.name ? 1 : 0)),
    lastVisit: last(place)
  }))
}
