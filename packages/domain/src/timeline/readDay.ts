import { Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import { nameApps } from "../apps/readApps.js"
import { FixHistory } from "../fixes/FixHistory.js"
import type { StoredFix } from "../fixes/Fix.js"
import type * as LocalDays from "../fixes/LocalDays.js"
import { type Erasure, listErasures, previewErasure } from "../retention-choice/index.js"
import { type AppId, program, Timestamp, type UserId } from "../shared/index.js"
import { lastHeard, ownVisitsWithin } from "./ownVisits.js"
import * as Trace from "./Trace.js"

/** One day of the owner, as the page shows it on a map. */
export interface TimelineDay {
  /** The precise readings, oldest first, of the phone with the largest number of precise readings. */
  readonly fixes: ReadonlyArray<StoredFix>
  readonly segments: ReadonlyArray<Trace.Segment>
  /** False while the service still has to derive stays of the owner, perhaps only stays of other days. */
  readonly complete: boolean
  /** Whether the day has more readings than `readDay` reads, so that the beginning of the day is missing. */
  readonly isCut: boolean
  /**
   * The apps with requests or events in the access log of that day; the app with the most requests and events is first.
   */
  readonly apps: ReadonlyArray<AppOfDay>
}

/** How many requests and events of an app the access log has for a stretch of time (`AccessLogStore.tally`). */
export interface AppOfDay {
  readonly appId: AppId
  readonly name: string
  readonly count: number
}

/**
 * The page shows at most this many readings of a day: about one reading every four seconds. When a day has more
 * readings, it shows only the newest.
 */
const FIXES_A_DAY = 20_000

/** Reads the owner's day. Each read has a limit (decision timeline-2). */
export const readDay = program("readDay", function* (userId: UserId, day: LocalDays.WholeDay) {
  const now = yield* Timestamp.now
  const found = yield* (yield* FixHistory).newest(userId, now, day, FIXES_A_DAY + 1)
  const fixes = Trace.line(found)
  const { complete, visits } = yield* ownVisitsWithin(userId, day.from, day.until)
  const heardAt = visits.some(({ departure }) => departure === null) ? yield* lastHeard(userId) : null
  const result: TimelineDay = {
    fixes,
    segments: Trace.segments(day, visits, fixes, now, { erasures: yield* listErasures(userId), heardAt }),
    complete,
    isCut: found.length > FIXES_A_DAY,
    apps: yield* appsWithin(userId, day)
  }
  return result
})

/**
 * The apps with requests or events in the access log of a stretch; the app with the most requests and events is first.
 */
const appsWithin = (userId: UserId, { from, until }: Erasure.Stretch) =>
  Effect.gen(function* () {
    const tallies = yield* (yield* AccessLogStore).tally(userId, [from, until])
    const names = yield* nameApps(tallies.map(({ appId }) => appId))
    return tallies
      .map(({ appId, count }): AppOfDay => ({ appId, count, name: names.get(appId) ?? appId }))
      .sort((a, b) => b.count - a.count)
  })

/**
 * How many fixes `eraseHistory` would delete in this stretch, and the apps with requests or events in the access log of
 * the stretch. A deletion does not reach these apps: they keep what they received.
 */
export const foreseeErasure = program("foreseeErasure", function* (userId: UserId, stretch: Erasure.Stretch) {
  return { fixes: yield* previewErasure(userId, stretch), apps: yield* appsWithin(userId, stretch) }
})
