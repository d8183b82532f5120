import { Effect } from "effect"
import { AccessLogStore } from "../access-log/AccessLogStore.js"
import type { Account } from "../accounts/Account.js"
import * as CurrentPlace from "../answers/CurrentPlace.js"
import { nameApps } from "../apps/readApps.js"
import { listConnections } from "../connection/readConnections.js"
import { listDevices } from "../devices/index.js"
import { FixHistory } from "../fixes/FixHistory.js"
import type * as LocalDays from "../fixes/LocalDays.js"
import { PlaceStore } from "../places/PlaceStore.js"
import { listOwnVolumeFlags } from "../purposes/flagVolumes.js"
import { type AppId, program, Timestamp, type UserId } from "../shared/index.js"
import * as Today from "./Today.js"
import { ownVisits } from "./ownVisits.js"

/**
 * How many of the newest readings are read to find where the person is. One reading is not enough, because that reading
 * may be too imprecise, or too near the edge of a place.
 */
const READINGS = 50
/** How many of the newest visits are read to find since when the person has been at the present place, or elsewhere. */
const VISITS = 10
const FLAGS = 5

/**
 * How many requests and events of each app the access log has for each of the last days (`Today.days`). Reads the
 * access log of these days once.
 */
export const readActivity = program("readActivity", function* (userId: UserId, zone: LocalDays.TimeZone) {
  const now = yield* Timestamp.now
  const days = Today.days(zone, now)
  const edges = [...days.map(({ from }) => from), Timestamp.plus(now, 1)]
  const tallies = yield* (yield* AccessLogStore).tally(userId, edges)
  const names = yield* nameApps([...new Set<AppId>(tallies.map(({ appId }) => appId))])
  return { days, activity: Today.appActivity(tallies, names, days.length) }
})

/** Everything that the owner's first page shows. `zone` decides where a day begins. */
export const readToday = program("readToday", function* (account: Account, zone: LocalDays.TimeZone) {
  const now = yield* Timestamp.now
  const userId = account.id
  const places = (yield* (yield* PlaceStore).list(userId)).filter(({ archivedAt }) => archivedAt === null)
  const devices = yield* listDevices(userId)
  const connections = yield* listConnections(userId)

  const newest = yield* (yield* FixHistory).newest(userId, now, { from: null, until: null }, READINGS)
  const where = CurrentPlace.decide(places, newest, Timestamp.make(0))
  const latest = yield* ownVisits(userId, { from: null, to: null, limit: VISITS, cursor: undefined })

  const { activity, days } = yield* readActivity(userId, zone)
  const { flags } = yield* Effect.catchTag(
    listOwnVolumeFlags(account, { limit: FLAGS, cursor: undefined }),
    // Only a wrong cursor causes `Invalid`, and this request has no cursor.
    "Invalid",
    Effect.die
  )
  const result: Today.Today = {
    now,
    days,
    places: places.length,
    phones: devices.length,
    phone: Today.phone(devices, now),
    where,
    since: Today.since(where, latest),
    isPast: Today.isPast(where, now),
    activity,
    connections: connections.filter(({ live }) => live).length,
    ending: Today.ending(connections, now),
    paused: connections.filter(({ live, pause }) => live && pause !== null),
    flags: flags.filter(({ to }) => now - to < Today.FLAG_FOR)
  }
  return result
})
