import { listConnections } from "../connection/readConnections.js"
import { listPlaces } from "../places/index.js"
import { program, Timestamp, type UserId } from "../shared/index.js"
import { lastHeard, ownVisits } from "./ownVisits.js"
import * as PlaceCard from "./PlaceCard.js"

/**
 * How many of the newest visits are read, for all places together. The card of a place shows no visit when none of
 * these visits is at the place.
 */
const VISITS = 100

/** The user's places, ordered by label, archived ones included, and a card of each place that is not archived. */
export const readPlaceCards = program("readPlaceCards", function* (userId: UserId) {
  const places = yield* listPlaces(userId)
  const present = places.filter(({ archivedAt }) => archivedAt === null)
  if (present.length === 0) return { places, cards: [] }
  const connections = yield* listConnections(userId)
  const { visits } = yield* ownVisits(userId, { from: null, to: null, limit: VISITS, cursor: undefined })
  const heardAt = yield* lastHeard(userId)
  return { places, cards: PlaceCard.of(present, connections, visits, heardAt, yield* Timestamp.now) }
})
