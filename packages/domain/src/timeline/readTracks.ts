import type { StoredFix } from "../fixes/Fix.js"
import { FixHistory } from "../fixes/FixHistory.js"
import type * as LocalDays from "../fixes/LocalDays.js"
import type { PagePosition } from "../shared/Page.js"
import { program, Timestamp, type UserId } from "../shared/index.js"
import * as Gpx from "./Gpx.js"

const PAGE = 20_000

/**
 * The readings of the owner's day, at most the first `Gpx.MOST_READINGS`, as one track for each device. The readings of
 * a track are oldest first. The line on the map (`readDay`) has only the precise readings of one device. The tracks
 * have all readings of all devices, also of devices that were left at home, because the owner downloads all of their
 * own data (decision timeline-2).
 */
export const readTracks = program("readTracks", function* (userId: UserId, day: LocalDays.WholeDay) {
  const history = yield* FixHistory
  const now = yield* Timestamp.now
  const tracks = new Map<string, Array<StoredFix>>()
  let after: PagePosition | undefined
  let left = Gpx.MOST_READINGS
  do {
    const { items, next } = yield* history.range(userId, now, day, Math.min(PAGE, left), after)
    for (const fix of items) {
      const track = tracks.get(fix.deviceId)
      if (track === undefined) tracks.set(fix.deviceId, [fix])
      else track.push(fix)
    }
    after = next
    left -= items.length
  } while (after !== undefined && left > 0)
  const result: ReadonlyArray<ReadonlyArray<StoredFix>> = [...tracks.values()]
  return result
})
