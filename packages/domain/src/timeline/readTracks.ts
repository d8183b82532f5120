import { Array as Arr } from "effect"
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
  const fixes: Array<StoredFix> = []
  let after: PagePosition | undefined
  do {
    const limit = Math.min(PAGE, Gpx.MOST_READINGS - fixes.length)
    const { items, next } = yield* history.range(userId, now, day, limit, after)
    fixes.push(...items)
    after = next
  } while (after !== undefined && fixes.length < Gpx.MOST_READINGS)
  const tracks: ReadonlyArray<ReadonlyArray<StoredFix>> = Object.values(Arr.groupBy(fixes, (fix) => fix.deviceId))
  return tracks
})
