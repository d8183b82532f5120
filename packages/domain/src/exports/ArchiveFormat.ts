// The schemas of the files in an archive of a person's data (decision exports-5). docs/export-format.md is their
// description for people.
import { Schema } from "effect"
import { Role } from "../accounts/Account.js"
import { NoticeKind } from "../accounts/NoticeKind.js"
import { EndReason } from "../connection/Connection.js"
import * as ConsentEntry from "../connection/ConsentEntry.js"
import * as Coordinates from "../places/Coordinates.js"
import * as Place from "../places/Place.js"
import { RuleType } from "../rules/Rule.js"
import * as Scope from "../shared/Scope.js"
import { FromIso } from "../shared/Timestamp.js"

/** Names the format, so that no other zip file is taken for an archive of this service. */
export const FORMAT = "place-access-export"
/**
 * The version of the archive's format. A reader refuses every other version. A field that is added later does not
 * change the version.
 */
export const VERSION = 1

const At = FromIso
const NullableAt = Schema.NullOr(FromIso)
const Metres = Schema.NullOr(Schema.Finite)
const Latitude = Schema.encodedSchema(Coordinates.Latitude).pipe(Schema.between(-90, 90))
const Longitude = Schema.encodedSchema(Coordinates.Longitude).pipe(Schema.between(-180, 180))
const Scopes = Schema.Array(Scope.Scope)

export const ManifestFile = Schema.Struct({
  name: Schema.String,
  /** The length of the file before compression, in bytes. */
  bytes: Schema.NonNegativeInt,
  sha256: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  /** The number of lines of a `.jsonl`, of points of a `.gpx`, of list elements of a `.json`; 1 for `account.json`. */
  entries: Schema.NonNegativeInt
})
export type ManifestFile = typeof ManifestFile.Type

/** The part of a manifest that a reader checks first, to know whether it can read the archive. */
export const ManifestHead = Schema.Struct({ format: Schema.String, version: Schema.Int })

/** `manifest.json`, the last file of the archive: a list of all other files. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  version: Schema.Literal(VERSION),
  made_at: At,
  files: Schema.Array(ManifestFile)
})
export type Manifest = typeof Manifest.Type

/** The content of `account.json`. */
export const Account = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  display_name: Schema.String,
  roles: Schema.Array(Role),
  created_at: At,
  /** Null: history is kept without a limit. */
  history_kept_days: Schema.NullOr(Schema.Int),
  /** An IANA name. Older archives lack this field. */
  time_zone: Schema.optional(Schema.NullOr(Schema.String)),
  /** The chosen language of pages and mails. Older archives lack this field. */
  language: Schema.optional(Schema.NullOr(Schema.String)),
  /** The language of the first browser that signed in. Older archives lack this field. */
  browser_language: Schema.optional(Schema.NullOr(Schema.String)),
  /** The mails (`OwnerNotice`) that the person chose to get. Older archives lack this field. */
  notices: Schema.optional(Schema.Array(NoticeKind)),
  /** The stretches of time whose history the person deleted, ordered by time. Older archives lack this field. */
  erasures: Schema.optional(Schema.Array(Schema.Struct({ from: At, until: At })))
})

/** A circle of a place. The circle is valid from `valid_from` on; null: from the beginning of the history. */
export const Shape = Schema.Struct({
  /**
   * An import accepts versions up to about half of the greatest number that the database can store, so that later
   * changes of the circle can still add 1 each.
   */
  version: Schema.Int.pipe(Schema.between(1, 1_000_000_000)),
  valid_from: NullableAt,
  lat: Latitude,
  lon: Longitude,
  radius_m: Schema.Finite.pipe(Schema.between(100, 10_000))
})

/**
 * An element of `places.json`: a place with all circles that it has had. The last element of `shapes` is the present
 * circle.
 */
export const PlaceEntry = Schema.Struct({
  // PostgreSQL cannot compare its own ids with a text that has the character NUL.
  id: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200), Schema.pattern(/^[^\0]*$/)),
  label: Place.Label,
  kind: Place.PlaceKind,
  created_at: At,
  archived_at: NullableAt,
  shapes: Schema.NonEmptyArray(Shape)
})
export type PlaceEntry = typeof PlaceEntry.Type
export const Places = Schema.Struct({ places: Schema.Array(PlaceEntry) })

/**
 * An element of `devices.json`: a phone, or a device of an imported file. The list includes removed devices, because
 * fixes name them.
 */
export const DeviceEntry = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  format: Schema.String,
  stays_at_home: Schema.Boolean,
  created_at: At,
  last_seen_at: NullableAt,
  removed_at: NullableAt
})
export const Devices = Schema.Struct({ devices: Schema.Array(DeviceEntry) })

/** A line of `fixes.jsonl`, which has the oldest fix first. */
export const FixLine = Schema.Struct({
  captured_at: At,
  lat: Latitude,
  lon: Longitude,
  accuracy_m: Metres,
  altitude_m: Metres,
  speed_mps: Metres,
  course_deg: Metres,
  device_id: Schema.String,
  received_at: At,
  /**
   * True: the person had left the device behind (`Fix.MarkedFix`). The field is left out for every other fix, and in
   * older archives.
   */
  left_behind: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /**
   * The ids, in `devices.json`, of the imported files that contain the same fix. Left out when no imported file
   * contains the fix, and in older archives.
   */
  also_from: Schema.optionalWith(Schema.NonEmptyArray(Schema.String), { exact: true })
})
export type FixLine = typeof FixLine.Type

/**
 * An element of the list `visits` of `visits.json`: a visit to one of the person's places. The list has the newest
 * visit first.
 */
export const VisitEntry = Schema.Struct({
  place_id: Schema.String,
  place: Schema.String,
  arrival: At,
  departure: NullableAt
})
/**
 * An element of the list `reported` of `visits.json`: a stop, at a place or elsewhere, as a phone reported it or an
 * imported file contained it.
 */
export const ReportEntry = Schema.Struct({
  device_id: Schema.String,
  arrival: NullableAt,
  departure: NullableAt,
  lat: Latitude,
  lon: Longitude,
  accuracy_m: Metres
})
export const Visits = Schema.Struct({ visits: Schema.Array(VisitEntry), reported: Schema.Array(ReportEntry) })

/** A change of what the person allowed an app: the connection began or ended, or a place was shared. */
export const ConsentChange = Schema.Struct({
  at: At,
  what: Schema.Literal("connected", "place_shared", "ended"),
  place_id: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(EndReason)
})

/**
 * A pause, in which the app learns nothing. `until` is null when the pause lasts until the person resumes the app. The
 * whole field is null when the app is not paused. Older archives lack this field.
 */
const Pause = Schema.optionalWith(Schema.NullOr(Schema.Struct({ since: At, until: NullableAt })), { exact: true })

/** What the person has allowed an app from the time `at` on, until the next agreement. */
export const Agreement = Schema.Struct({
  at: At,
  change: ConsentEntry.ConsentChange,
  scopes: Scopes,
  place_ids: Schema.Array(Schema.String),
  /**
   * The places for which the person shares visits from before the sharing, too. Null when the service did not record
   * these places at the time of the agreement. Older archives lack this field.
   */
  earlier_visits_place_ids: Schema.optionalWith(Schema.NullOr(Schema.Array(Schema.String)), { exact: true }),
  expires_at: NullableAt,
  sensitive_expires_at: NullableAt,
  /**
   * The end of the last pause, which may be over. Null when there was no pause, and for a pause without an end; `pause`
   * shows whether there is a pause.
   */
  paused_until: NullableAt,
  /** The pause that the app had after the change. */
  pause: Pause
})

/** An element of `connections.json`: an app's connection to the person, live or ended. */
export const ConnectionEntry = Schema.Struct({
  id: Schema.String,
  app: Schema.Struct({ id: Schema.String, name: Schema.String, homepage_url: Schema.NullOr(Schema.String) }),
  live: Schema.Boolean,
  /** The permissions of the app at the time when this file is written, which is after `made_at` in the manifest. */
  scopes: Scopes,
  /**
   * The permissions that the person granted and that the app still declares, including permissions that have lapsed
   * since the grant.
   */
  granted_scopes: Scopes,
  places: Schema.Array(
    Schema.Struct({
      place_id: Schema.String,
      label: Schema.String,
      shared_at: At,
      include_earlier_visits: Schema.Boolean
    })
  ),
  connected_at: At,
  expires_at: NullableAt,
  sensitive_expires_at: NullableAt,
  ended_at: NullableAt,
  end_reason: Schema.NullOr(EndReason),
  last_used_at: NullableAt,
  pause: Pause,
  /** The beginning of the connection, the sharing of each place in `places`, and the end, oldest first. */
  history: Schema.Array(ConsentChange),
  /**
   * The agreement after each of the newest 5,000 changes, oldest first. Older archives lack this field, or have fewer
   * changes.
   */
  agreements: Schema.optionalWith(Schema.Array(Agreement), { exact: true })
})
export const Connections = Schema.Struct({ connections: Schema.Array(ConnectionEntry) })

/** An element of `receipts.json`: an e-mail of the service to the person, without its links. */
export const ReceiptEntry = Schema.Struct({
  kind: Schema.String,
  /** The connection that the e-mail is about; null when it is about no connection. */
  connection_id: Schema.NullOr(Schema.String),
  written_at: At,
  sent_at: NullableAt,
  subject: Schema.String,
  body: Schema.String
})
export const Receipts = Schema.Struct({ receipts: Schema.Array(ReceiptEntry) })

/** A line of `access-log.jsonl`, which has the newest entry first. */
export const AccessLine = Schema.Struct({
  at: At,
  app_id: Schema.String,
  app_name: Schema.String,
  connection_id: Schema.String,
  request: Schema.String,
  purpose: Schema.NullOr(Schema.String),
  status: Schema.Int,
  /**
   * How many requests the line stands for. More than 1 only for requests of one hour with tokens that no longer work
   * (`AccessLogEntry.times`).
   */
  times: Schema.Int,
  error: Schema.NullOr(Schema.String),
  disclosed: Schema.NullOr(Schema.String)
})

/** An element of `rules.json`: a rule with its last evaluations. The oldest evaluation comes first. */
export const RuleEntry = Schema.Struct({
  id: Schema.String,
  connection_id: Schema.String,
  app_id: Schema.String,
  type: RuleType,
  target: Schema.Union(
    Schema.Struct({ kind: Schema.Literal("place"), place_id: Schema.String, label: Schema.String }),
    Schema.Struct({
      kind: Schema.Literal("zone"),
      label: Schema.String,
      lat: Schema.Finite,
      lon: Schema.Finite,
      radius_m: Schema.Finite
    })
  ),
  dwell_minutes: Schema.NullOr(Schema.Int),
  settle_s: Schema.NullOr(Schema.Int),
  silence_s: Schema.NullOr(Schema.Int),
  from: NullableAt,
  until: NullableAt,
  created_at: At,
  disabled_at: NullableAt,
  evaluations: Schema.Array(Schema.Struct({ captured_at: At, received_at: At, outcome: Schema.String }))
})
export const Rules = Schema.Struct({ rules: Schema.Array(RuleEntry) })

/**
 * A line of `firings.jsonl`: an entry of the access log about a firing. `disclosed`: what the app learned. `error`: why
 * the event was not sent, or not sent again; null: it was sent. The file has the newest entry first.
 */
export const FiringLine = Schema.Struct({
  at: At,
  app_id: Schema.String,
  app_name: Schema.String,
  connection_id: Schema.String,
  event: Schema.String,
  disclosed: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String)
})
