// Functions that turn values of the stores into entries of the archive's files.
import { Array as Arr } from "effect"
import { type AccessLogEntry, EVENT_PREFIX } from "../access-log/AccessLogEntry.js"
import type * as Account from "../accounts/Account.js"
import type { NoticeKind } from "../accounts/NoticeKind.js"
import type * as ConnectionView from "../connection/ConnectionView.js"
import type * as ConsentHistory from "../connection/ConsentHistory.js"
import * as Pause from "../connection/Pause.js"
import * as StrikeWarning from "../endpoints/StrikeWarning.js"
import * as Event from "../events/Event.js"
import type { StoredFix } from "../fixes/Fix.js"
import type { Place, PlaceRef } from "../places/Place.js"
import type { Shape } from "../places/Shape.js"
import type * as Erasure from "../retention-choice/Erasure.js"
import * as History from "../retention-choice/History.js"
import type { RecentEvaluations } from "../rules/RecentEvaluations.js"
import type { Rule } from "../rules/Rule.js"
import { ConnectionId, type DeviceId } from "../shared/Ids.js"
import { make, parseIso, type Timestamp, toIso } from "../shared/Timestamp.js"
import * as OsVisit from "../visits/OsVisit.js"
import * as Visit from "../visits/Visit.js"
import type * as ArchiveFormat from "./ArchiveFormat.js"
import type { ListedDevice } from "./ExportStore.js"
import type { WrittenMail } from "./WrittenMail.js"

/** An access-log entry with the app's name and the purpose's description, so that the person can read the entry. */
interface NamedEntry extends Omit<AccessLogEntry, "purpose"> {
  readonly appName: string
  readonly purpose: { readonly description: string } | null
}

interface PlacedVisit {
  readonly arrival: Timestamp
  readonly departure: Timestamp | null
  readonly place: PlaceRef
}

/**
 * The id that an export passes as the connection's id to programs that otherwise answer an app, such as `listVisits`.
 * No connection has this id.
 */
export const ASKER = ConnectionId.make("export")

export const account = (
  { browserLanguage, createdAt, displayName, email, id, language, roles, timeZone }: Account.Account,
  keep: History.Keep,
  notices: ReadonlyArray<NoticeKind>,
  erasures: ReadonlyArray<Erasure.Stretch>
): typeof ArchiveFormat.Account.Type => ({
  id,
  email,
  display_name: displayName,
  roles,
  created_at: createdAt,
  history_kept_days: keep,
  time_zone: timeZone,
  language,
  browser_language: browserLanguage,
  notices,
  erasures: erasures.map(({ from, until }) => ({ from, until }))
})

/**
 * The elements of `places.json`. `shapes` must be ordered by place and version. A place without a shape is left out.
 */
export const places = (
  all: ReadonlyArray<Place>,
  shapes: ReadonlyArray<Shape>
): ReadonlyArray<ArchiveFormat.PlaceEntry> =>
  all.flatMap((place) => {
    const own = shapes
      .filter(({ placeId }) => placeId === place.id)
      .map(({ circle, geometryVersion, validFrom }) => ({
        version: geometryVersion,
        valid_from: validFrom,
        lat: circle.lat,
        lon: circle.lon,
        radius_m: circle.radiusM
      }))
    const [first, ...rest] = own
    return first === undefined
      ? []
      : [
          {
            id: place.id,
            label: place.label,
            kind: place.kind,
            created_at: place.createdAt,
            archived_at: place.archivedAt,
            shapes: [first, ...rest] as const
          }
        ]
  })

export const device = (one: ListedDevice): typeof ArchiveFormat.DeviceEntry.Type => ({
  id: one.id,
  name: one.name,
  format: one.format,
  stays_at_home: one.staysAtHome,
  created_at: one.createdAt,
  last_seen_at: one.lastSeenAt,
  removed_at: one.removedAt
})

/**
 * The line of `fixes.jsonl` for this fix. `devices` are the devices in `devices.json`. `also_from` names only these
 * devices, because a reader of the archive would not find another device.
 */
export const fix = (one: StoredFix, devices: ReadonlySet<DeviceId>): ArchiveFormat.FixLine => ({
  captured_at: one.capturedAt,
  lat: one.lat,
  lon: one.lon,
  accuracy_m: one.accuracyM,
  altitude_m: one.altitudeM,
  speed_mps: one.speedMps,
  course_deg: one.courseDeg,
  device_id: one.deviceId,
  received_at: one.receivedAt,
  ...(one.isLeftBehind === true ? { left_behind: true } : {}),
  ...alsoFrom((one.alsoFrom ?? []).filter((id) => devices.has(id)))
})

const alsoFrom = ([first, ...rest]: ReadonlyArray<DeviceId>): Pick<ArchiveFormat.FixLine, "also_from"> =>
  first === undefined ? {} : { also_from: [first, ...rest] }

export const GPX_BEGIN =
  '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Place-Aware Access Service" xmlns="http://www.topografix.com/GPX/1/1">\n'
export const GPX_END = "</gpx>\n"
const TRACK_END = "</trkseg></trk>\n"

/**
 * Returns a function that writes fixes as tracks of a GPX file. Each track has the fixes of one device and names the
 * device, so that an import keeps the devices apart. The function groups the fixes of each call by device. The last
 * track stays open for the next call, unless `isLast` is true.
 */
export const trackWriter = () => {
  let open: DeviceId | undefined
  return (fixes: ReadonlyArray<StoredFix>, isLast: boolean): string => {
    const written = Object.values(Arr.groupBy(fixes, ({ deviceId }) => deviceId)).map((own) => {
      const [{ deviceId }] = own
      const begin = `<trk><extensions><device_id>${deviceId}</device_id></extensions><trkseg>\n`
      const before = deviceId === open ? "" : open === undefined ? begin : TRACK_END + begin
      open = deviceId
      return before + own.map(trackPoint).join("")
    })
    return written.join("") + (isLast && open !== undefined ? TRACK_END : "")
  }
}

/**
 * Writes a number for GPX, whose numbers have no exponent. JavaScript writes numbers below a millionth with an
 * exponent.
 */
const decimal = (value: number): string => (/e-/.test(String(value)) ? value.toFixed(9) : String(value))

/** A point of a GPX track. GPX has no elements for accuracy, speed and course, so these values are extensions. */
const trackPoint = (one: StoredFix): string => {
  const own = one.altitudeM === null ? "" : `<ele>${decimal(one.altitudeM)}</ele>`
  const extended = [
    one.accuracyM === null ? "" : `<accuracy>${decimal(one.accuracyM)}</accuracy>`,
    one.speedMps === null ? "" : `<speed>${decimal(one.speedMps)}</speed>`,
    one.courseDeg === null ? "" : `<course>${decimal(one.courseDeg)}</course>`
  ].join("")
  const extensions = extended === "" ? "" : `<extensions>${extended}</extensions>`
  const [lat, lon] = [decimal(one.lat), decimal(one.lon)]
  return `<trkpt lat="${lat}" lon="${lon}">${own}<time>${toIso(one.capturedAt)}</time>${extensions}</trkpt>\n`
}

/**
 * The months in UTC that overlap `[from, until)`. The first month is shortened so that it begins at `from`, and the
 * last month so that it ends at `until`.
 */
export const months = (
  from: Timestamp,
  until: Timestamp
): ReadonlyArray<{ readonly month: string; readonly from: Timestamp; readonly until: Timestamp }> => {
  const all: Array<{ readonly month: string; readonly from: Timestamp; readonly until: Timestamp }> = []
  for (let start = from; start < until;) {
    const month = toIso(start).slice(0, 7)
    const [year = 0, number = 0] = month.split("-").map(Number)
    const following = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`
    const next = make(Math.min(parseIso(`${following}-01T00:00Z`) ?? until, until))
    all.push({ month, from: start, until: next })
    start = next
  }
  return all
}

export const visit = ({
  arrival,
  departure,
  place
}: PlacedVisit): (typeof ArchiveFormat.Visits.Type)["visits"][number] => ({
  place_id: place.id,
  place: place.label,
  arrival,
  departure
})

/**
 * A phone's reports about one stop: the reports that have the arrival at the stop, and the reports that have only a
 * departure and may end the stop. Leaves out a report whose departure was at `cutoff` or earlier. Leaves out a report
 * without a departure when answers and pages do not show the stop.
 */
export const reports = (
  one: OsVisit.VisitReports,
  cutoff: Timestamp | null,
  erasures: ReadonlyArray<Erasure.Stretch>
): ReadonlyArray<typeof ArchiveFormat.ReportEntry.Type> => {
  const stop = OsVisit.decide(one, erasures)
  const isStopPast = stop === undefined || Visit.isPast(stop, one.heardAt, cutoff)
  return [...one.reports, ...one.departures]
    .filter(({ departure }) => (departure === null ? !isStopPast : !History.isPast(departure, cutoff)))
    .map(({ accuracyM, arrival, departure, lat, lon }) => ({
      device_id: one.deviceId,
      arrival,
      departure,
      lat,
      lon,
      accuracy_m: accuracyM
    }))
}

export const connection = (
  one: ConnectionView.UserConnection,
  agreements: ReadonlyArray<ConsentHistory.HistoryEntry>
): typeof ArchiveFormat.ConnectionEntry.Type => {
  const history: ReadonlyArray<typeof ArchiveFormat.ConsentChange.Type> = [
    { at: one.connectedAt, what: "connected" as const, place_id: null, reason: null },
    ...one.places.map(({ id, sharedAt: at }) => ({ at, what: "place_shared" as const, place_id: id, reason: null })),
    ...(one.endedAt === null
      ? []
      : [{ at: one.endedAt, what: "ended" as const, place_id: null, reason: one.endReason }])
  ]
  return {
    id: one.id,
    app: { id: one.app.id, name: one.app.name, homepage_url: one.app.homepageUrl },
    live: one.live,
    scopes: one.scopes,
    granted_scopes: one.heldScopes,
    places: one.places.map(({ id, includeEarlierVisits, label, sharedAt }) => ({
      place_id: id,
      label,
      shared_at: sharedAt,
      include_earlier_visits: includeEarlierVisits
    })),
    connected_at: one.connectedAt,
    expires_at: one.grantExpiresAt,
    sensitive_expires_at: one.sensitiveExpiresAt,
    ended_at: one.endedAt,
    end_reason: one.endReason,
    last_used_at: one.lastUsedAt,
    pause: paused(one.pause),
    history: [...history].sort((a, b) => a.at - b.at),
    agreements: agreements.toReversed().map(({ at, change, earlierVisits, pause, places, scopes, ...dates }) => ({
      at,
      change,
      scopes,
      place_ids: places.map(({ id }) => id),
      earlier_visits_place_ids: earlierVisits?.map(({ id }) => id) ?? null,
      expires_at: dates.standardExpiresAt,
      sensitive_expires_at: dates.sensitiveExpiresAt,
      paused_until: pause?.until ?? null,
      pause: Pause.isOn(pause, at) ? paused(pause) : null
    }))
  }
}

const paused = (pause: Pause.Pause | null) => pause && { since: pause.from, until: pause.until }

const CONNECTION_PATH = /^\/connections\/([^/?#]+)$/

/**
 * Whether the archive contains the mail. An archive contains no warning about a failing webhook, because such a mail
 * names the address of the webhook, which belongs to the app and may be a credential (decision exports-6).
 */
export const isReceipt = ({ kind }: Pick<WrittenMail, "kind">): boolean => kind !== StrikeWarning.MAIL_KIND

export const receipt = ({
  body,
  kind,
  path,
  sentAt,
  subject,
  writtenAt
}: WrittenMail): typeof ArchiveFormat.ReceiptEntry.Type => ({
  kind,
  connection_id: CONNECTION_PATH.exec(path ?? "")?.[1] ?? null,
  written_at: writtenAt,
  sent_at: sentAt,
  subject,
  body
})

export const access = (one: NamedEntry): typeof ArchiveFormat.AccessLine.Type => ({
  at: one.at,
  app_id: one.appId,
  app_name: one.appName,
  connection_id: one.connectionId,
  request: one.endpoint,
  purpose: one.purpose?.description ?? null,
  status: one.status,
  times: one.times,
  error: one.error,
  disclosed: one.disclosed
})

const FIRINGS: ReadonlySet<string> = new Set(
  Event.RuleFired.fields.type.literals.map((type) => `${EVENT_PREFIX}${type}`)
)

/** Whether the entry of the access log is about a rule that fired. */
export const isFiring = ({ endpoint }: Pick<NamedEntry, "endpoint">): boolean => FIRINGS.has(endpoint)

export const firing = (one: NamedEntry): typeof ArchiveFormat.FiringLine.Type => ({
  at: one.at,
  app_id: one.appId,
  app_name: one.appName,
  connection_id: one.connectionId,
  event: one.endpoint.slice(EVENT_PREFIX.length),
  disclosed: one.disclosed,
  error: one.error
})

/**
 * An element of `rules.json`. It lacks the address of the app's webhook, which belongs to the app and may be a
 * credential.
 */
export const rule = (one: Rule, recent: RecentEvaluations): typeof ArchiveFormat.RuleEntry.Type => ({
  id: one.id,
  connection_id: one.connectionId,
  app_id: one.appId,
  type: one.type,
  target:
    one.target._tag === "Place"
      ? { kind: "place", place_id: one.target.placeId, label: one.target.label }
      : {
          kind: "zone",
          label: one.target.label,
          lat: one.target.circle.lat,
          lon: one.target.circle.lon,
          radius_m: one.target.circle.radiusM
        },
  dwell_minutes: one.dwellMinutes,
  settle_s: one.settleS,
  silence_s: one.silenceS,
  from: one.window.from,
  until: one.window.until,
  created_at: one.createdAt,
  disabled_at: one.disabledAt,
  evaluations: recent.map(({ capturedAt, outcome, receivedAt }) => ({
    captured_at: capturedAt,
    received_at: receivedAt,
    outcome
  }))
})
