// The contents of the owner's first page. Decision timeline-1.
import type { AppTally } from "../access-log/AccessLogStore.js"
import type { CurrentPlace } from "../answers/CurrentPlace.js"
import type { UserConnection } from "../connection/ConnectionView.js"
import * as Carried from "../devices/Carried.js"
import { type Device, PROPERTIES } from "../devices/Device.js"
import * as Silence from "../devices/Silence.js"
import * as LocalDays from "../fixes/LocalDays.js"
import type { VolumeFlag } from "../purposes/VolumeFlag.js"
import type { AppId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import { isOld, type OwnVisit } from "./OwnVisit.js"

/** A phone and how long it has been silent. */
export interface PhoneState {
  readonly device: Device
  /** When the phone last sent something new; null: the phone has sent nothing yet. */
  readonly lastSeenAt: Timestamp | null
  readonly state: Silence.Silence
}

/** How many requests and events of an app the access log has for each day (`AccessLogStore.tally`). */
export interface AppActivity {
  readonly appId: AppId
  readonly name: string
  /** For each of `Today.days`, how many requests and events of the app the access log has. */
  readonly counts: ReadonlyArray<number>
  /** For each of `Today.days`, how many of `counts` are requests of the app itself (`AccessLogEntry.isOfApp`). */
  readonly requests: ReadonlyArray<number>
}

/** A connection, or its exact location, that ends at a date. */
export interface EndingSoon {
  readonly connection: UserConnection
  readonly what: "connection" | "exact_location"
  readonly at: Timestamp
}

export interface Today {
  readonly now: Timestamp
  /** The last `DAYS` local days, today at the end. */
  readonly days: ReadonlyArray<LocalDays.LocalDay>
  /**
   * How many places the owner has, without archived places. While `places`, `phones` or `connections` (the live
   * connections) is 0, the page shows the steps that a new person takes.
   */
  readonly places: number
  readonly phones: number
  readonly connections: number
  /** The phone that the person probably carries; null without phones. */
  readonly phone: PhoneState | null
  readonly where: CurrentPlace
  /** Since when the person is where `where` says; null: not known. */
  readonly since: Timestamp | null
  /** Whether `where` comes from an old reading, which shows only where the person was last. */
  readonly isPast: boolean
  readonly activity: ReadonlyArray<AppActivity>
  readonly ending: ReadonlyArray<EndingSoon>
  /** The live connections that the owner paused. */
  readonly paused: ReadonlyArray<UserConnection>
  readonly flags: ReadonlyArray<VolumeFlag & { readonly appName: string }>
}

export const DAYS = 14
/**
 * Milliseconds. The page lists connections that end within this time. It is long enough for the owner to act, and short
 * enough that the list is usually empty.
 */
const SOON = 7 * DAY
/** Milliseconds for which the page shows a volume flag. */
export const FLAG_FOR = 3 * DAY

/** The last `DAYS` days of the zone, the present one included. */
export const days = (zone: LocalDays.TimeZone, now: Timestamp): ReadonlyArray<LocalDays.LocalDay> =>
  LocalDays.between(zone, plus(now, -(DAYS + 1) * DAY), plus(now, 1)).slice(-DAYS)

/**
 * The phone that the person probably carries: of the devices with the lowest `rank`, the device that sent last. Null
 * without phones. A device that stays at home is chosen last: if a tablet at home were chosen, which goes on sending,
 * the page would not show that the phone is silent.
 */
export const phone = (devices: ReadonlyArray<Device>, now: Timestamp): PhoneState | null => {
  const [device] = [...devices].sort((a, b) => rank(a, now) - rank(b, now) || (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0))
  if (device === undefined) return null
  const { lastSeenAt } = device
  return { device, lastSeenAt, state: Silence.of(lastSeenAt, now) }
}

/**
 * The rank by which `phone` chooses a device; the lowest rank is chosen first.
 * - 2: the device stays at home, or never sent anything.
 * - 1: a browser that has sent nothing for an hour, because a browser sends only while its page is open.
 * - 0: every other device.
 */
const rank = (device: Device, now: Timestamp): number => {
  if (!Carried.mayShowMovement(device)) return 2
  return isPage(device) && Silence.of(device.lastSeenAt, now) !== "fresh" ? 1 : 0
}

const isPage = ({ format }: Device): boolean => PROPERTIES[format].sender === "page"

/**
 * Whether the phone should send and does not. Never true for a browser, which sends only while its page is open
 * (decision devices-15).
 */
export const isSilent = ({ device, state }: PhoneState): boolean => state === "silent" && !isPage(device)

/**
 * Since when the person is where `where` says: at a place since the arrival, elsewhere since the last departure. Null:
 * unknown, for example after an uncertain departure, or while some visits are not derived yet.
 */
export const since = (
  where: CurrentPlace,
  { complete, visits }: { readonly visits: ReadonlyArray<OwnVisit>; readonly complete: boolean }
): Timestamp | null => {
  if (where.state === "unknown" || !complete) return null
  const { place } = where
  if (place !== null) {
    return visits.find(({ departure, place: at }) => departure === null && at.id === place.id)?.arrival ?? null
  }
  // The newest reading is at no place. If there is an open visit nevertheless, it counts as the last visit, and the
  // result is null.
  const [last] = [...visits].sort((a, b) => (b.departure ?? Infinity) - (a.departure ?? Infinity))
  return last === undefined || last.isUncertain ? null : last.departure
}

/**
 * Whether `where` comes from a reading that is too old, so that it shows only where the person was last (decision
 * timeline-4).
 */
export const isPast = ({ asOf }: CurrentPlace, now: Timestamp): boolean => asOf !== null && isOld(asOf, now)

/**
 * The apps with requests or events in the access log of the last `length` days, sorted by today's count, then by the
 * total; highest first.
 */
export const appActivity = (
  tallies: ReadonlyArray<AppTally>,
  names: ReadonlyMap<AppId, string>,
  length: number
): ReadonlyArray<AppActivity> => {
  const zeros = () => Array.from({ length }, () => 0)
  const apps = new Map<AppId, { readonly counts: Array<number>; readonly requests: Array<number> }>()
  for (const { appId, count, edge, requests } of tallies) {
    const app = apps.get(appId) ?? { counts: zeros(), requests: zeros() }
    app.counts[edge] = count
    app.requests[edge] = requests
    apps.set(appId, app)
  }
  const sum = (counts: ReadonlyArray<number>) => counts.reduce((a, b) => a + b, 0)
  return [...apps]
    .map(([appId, app]) => ({ appId, name: names.get(appId) ?? appId, ...app }))
    .sort((a, b) => (b.counts.at(-1) ?? 0) - (a.counts.at(-1) ?? 0) || sum(b.counts) - sum(a.counts))
}

/**
 * The live connections that end within `SOON`, and those whose exact location ends within `SOON`, the soonest first.
 */
export const ending = (connections: ReadonlyArray<UserConnection>, now: Timestamp): ReadonlyArray<EndingSoon> =>
  connections
    .filter(({ live }) => live)
    .flatMap((connection): ReadonlyArray<EndingSoon> => {
      const { grantExpiresAt, sensitiveExpiresAt } = connection
      const ends = (what: EndingSoon["what"], at: Timestamp | null) =>
        at !== null && at > now && at - now <= SOON ? [{ connection, what, at }] : []
      const all = ends("connection", grantExpiresAt)
      // Exact location ends with the connection. So its date is listed only if it is before the connection's end.
      return grantExpiresAt !== null && sensitiveExpiresAt !== null && sensitiveExpiresAt >= grantExpiresAt
        ? all
        : [...all, ...ends("exact_location", sensitiveExpiresAt)]
    })
    .sort((a, b) => a.at - b.at)
