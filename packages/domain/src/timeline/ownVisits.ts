import { PlaceStore } from "../places/PlaceStore.js"
import { ConnectionId, type PlaceId, program, Timestamp, type UserId } from "../shared/index.js"
import { listVisits, type VisitAt, type VisitsQuery } from "../visits/index.js"

/** The connection id that stands for the owner, because `listVisits` needs one. No connection has this id. */
const OWNER = ConnectionId.make("owner")

export interface OwnVisitsQuery extends VisitsQuery {
  /** Visits at this place only. Left out: at all places. */
  readonly only?: PlaceId | undefined
}

/**
 * Visits at all of the owner's places, including visits from before a place was made: what an app sees when everything
 * is shared with it. The same program answers apps, so the owner sees what apps could see (decision timeline-1).
 */
export const ownVisits = program("ownVisits", function* (userId: UserId, { only, ...asked }: OwnVisitsQuery) {
  const all = (yield* (yield* PlaceStore).list(userId)).filter(({ id }) => only === undefined || id === only)
  const places = all.map(({ id, createdAt }) => ({
    placeId: id,
    sharedAt: createdAt,
    includeEarlierVisits: true
  }))
  return yield* listVisits({ userId, id: OWNER, places, pause: null }, yield* Timestamp.now, asked)
})

/** The most visits of one day that the owner sees. A phone that crosses an edge each minute makes more. */
const VISITS_A_DAY = 200
/** How many of the last visits that began before the day are read, because they may reach into the day. */
const BEFORE = 5

/**
 * The visits that overlap a stretch, oldest first: those that began in it, and those of the last `BEFORE` earlier
 * visits that reach into it.
 */
export const ownVisitsWithin = program(
  "ownVisitsWithin",
  function* (userId: UserId, from: Timestamp.Timestamp, until: Timestamp.Timestamp) {
    const within = yield* ownVisits(userId, { from, to: until, limit: VISITS_A_DAY, cursor: undefined })
    const before = yield* ownVisits(userId, { from: null, to: from, limit: BEFORE, cursor: undefined })
    const visits: ReadonlyArray<VisitAt> = [
      ...before.visits.filter(({ departure }) => departure === null || departure > from),
      ...within.visits
    ].sort((a, b) => a.arrival - b.arrival)
    return { visits, complete: within.complete && before.complete }
  }
)
