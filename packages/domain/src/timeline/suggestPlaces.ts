import { FixHistory } from "../fixes/FixHistory.js"
import type * as LocalDays from "../fixes/LocalDays.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { program, Timestamp, type UserId } from "../shared/index.js"
import * as Suggestion from "./Suggestion.js"

/** How many of the newest readings are read: two weeks of a phone that sends one reading a minute. */
const READINGS = 20_000
const LOOK_BACK = 28 * Timestamp.DAY
/** People with this many places can make a place without help. They get no suggestion, which saves the read. */
const ENOUGH_PLACES = 5

/** Spots that could become places of the owner, in one bounded read (decision timeline-3). No app sees them. */
export const suggestPlaces = program("suggestPlaces", function* (userId: UserId, zone: LocalDays.TimeZone) {
  const now = yield* Timestamp.now
  const places = (yield* (yield* PlaceStore).list(userId)).filter(({ archivedAt }) => archivedAt === null)
  if (places.length >= ENOUGH_PLACES) return []
  const within = { from: Timestamp.plus(now, -LOOK_BACK), until: null }
  const fixes = yield* (yield* FixHistory).newest(userId, now, within, READINGS)
  return Suggestion.of(fixes, places, zone)
})
