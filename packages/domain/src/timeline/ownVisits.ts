import { Option } from "effect"
import { latestFix } from "../fixes/readFixes.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { ConnectionId, type PlaceId, program, Timestamp, type UserId } from "../shared/index.js"
import { listVisits, type VisitAt, type VisitsQuery } from "../visits/index.js"

/**
 * The connection id that stands for the owner, because `listVisits` needs a connection id. No connection has this id.
 */
const OWNER = ConnectionId.make("owner")

export interface OwnVisitsQuery extends VisitsQuery {
  /** Visits at this place only. Left out: at all places. */
  readonly only?: PlaceId | undefined
}

/**
 * Visits at all of the owner's places, or only at the place `only`, including visits from before a place was made. An
 * app sees the same visits when the owner shares everything with the app, because `listVisits` also answers apps
 * (decision timeline-1).
 */
export const ownVisits = program("ownVisits", function* (userId: UserId, { only, ...query }: OwnVisitsQuery) {
  const all = (yield* (yield* PlaceStore).list(userId)).filter(({ id }) => only === undefined || id === only)
  const places = all.map(({ id, createdAt }) => ({
    placeId: id,
    sharedAt: createdAt,
    includeEarlierVisits: true
  }))
  return yield* listVisits({ userId, id: OWNER, places, pause: null }, yield* Timestamp.now, query)
})

/**
 * The owner sees at most this many visits of one day. Only a phone that seems to enter and leave a place every few
 * minutes makes more visits in a day.
 */
const VISITS_A_DAY = 200
/**
 * How many visits that began before the day are read, the latest ones: a visit that began before the day may last into
 * the day.
 */
const BEFORE = 5

/**
 * The visits that overlap the stretch from `from` to `until`, oldest first: the visits that began in the stretch, and
 * those of the last `BEFORE` earlier visits that ended after `from` or have not ended.
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

/**
 * The capture time of the user's newest reading, as `latestFix` finds it; null without readings. After this time it is
 * unknown whether an open visit goes on.
 */
export const lastHeard = program("lastHeard", function* (userId: UserId) {
  return Option.match(yield* latestFix(userId), { onNone: () => null, onSome: ({ capturedAt }) => capturedAt })
})
