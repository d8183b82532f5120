import { FixHistory } from "../fixes/FixHistory.js"
import type * as LocalDays from "../fixes/LocalDays.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { listErasures } from "../retention-choice/index.js"
import { program, Timestamp, type UserId } from "../shared/index.js"
import * as Suggestion from "./Suggestion.js"

/** How many of the newest readings are read: two weeks of a phone that sends one reading a minute. */
const READINGS = 20_000
const LOOK_BACK = 28 * Timestamp.DAY
/**
 * Somebody with this many places or more gets no suggestion, because the person knows how to make a place. So the
 * service need not read the person's history.
 */
const ENOUGH_PLACES = 5

/**
 * Spots that could become places of the owner (decision timeline-3). One read with a limit finds them. No app sees a
 * suggestion.
 */
export const suggestPlaces = program("suggestPlaces", function* (userId: UserId, zone: LocalDays.TimeZone) {
  const now = yield* Timestamp.now
  const places = (yield* (yield* PlaceStore).list(userId)).filter(({ archivedAt }) => archivedAt === null)
  if (places.length >= ENOUGH_PLACES) return []
  const within = { from: Timestamp.plus(now, -LOOK_BACK), until: null }
  const fixes = yield* (yield* FixHistory).newest(userId, now, within, READINGS)
  return Suggestion.of(fixes, places, zone, yield* listErasures(userId))
})
