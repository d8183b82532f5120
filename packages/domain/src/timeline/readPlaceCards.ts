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

/**
 * The user's places, ordered by label, archived ones included, and a card of each place that is not archived.
 * `isWhole`: the cards were made from all of the user's visits, so a place whose card has no visit was never visited.
 */
export const readPlaceCards = program("readPlaceCards", function* (userId: UserId) {
  const places = yield* listPlaces(userId)
  const present = places.filter(({ archivedAt }) => archivedAt === null)
  if (present.length === 0) return { places, cards: [], isWhole: true }
  const connections = yield* listConnections(userId)
  const read = yield* ownVisits(userId, { from: null, to: null, limit: VISITS, cursor: undefined })
  const heardAt = yield* lastHeard(userId)
  const cards = PlaceCard.of(present, connections, read.visits, heardAt, yield* Timestamp.now)
  return { places, cards, isWhole: read.complete && read.nextCursor === null }
})
