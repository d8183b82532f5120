import type { Endpoint } from "./Operations.js"

/**
 * The constants that the oracles and the simulated world need, written from the specification. The product has most of
 * them too, and nothing here imports them: an oracle that shared a constant with the product would agree with its
 * mistake.
 */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The smallest and the largest value, both allowed. */
export interface Limits {
  readonly min: number
  readonly max: number
}

export const isWithin = (value: number, { max, min }: Limits): boolean => value >= min && value <= max

// ---- accounts

/** Decision accounts-6: 14 days after the last use, and 30 days after the sign-in. */
export const SESSION_IDLE = 14 * DAY
export const SESSION_LONGEST = 30 * DAY
/** Decision accounts-6: a use renews a session at most once an hour. */
export const SESSION_RENEWED = 3_600 * SECOND
/** Decision A2: five failures of one account in 15 minutes close its sign-in. */
export const GUESSES = 5
export const GUESSES_REMEMBERED = 15 * MINUTE

// ---- listeners

/** Decision listeners-3: an app has at most five listeners, and a stream has a heartbeat every 15 s. */
export const LISTENERS = 5
export const HEARTBEAT = 15 * SECOND
/** Decision listeners-3: how long a listener without a heartbeat counts. */
export const LISTENER_LIFE = 45 * SECOND

// ---- tokens and tiers

/** Spec §2.1: 3600 s. */
export const ACCESS_LIFETIME = 3_600 * SECOND
/** The service knows the owner of an access token for another day after the token died. */
export const ACCESS_REMEMBERED = ACCESS_LIFETIME + DAY
/** Spec §2.1: 60 s. */
export const CODE_LIFETIME = 60 * SECOND
/** Spec §8: 30 s, inclusive (decision T3). */
export const RACE_WINDOW = 30 * SECOND
/** Decision connection-6: the days of exact location that the user gives back without choosing a number of days. */
export const TIER_DAYS = 30
/** Spec §4.3, §8: 14 days. */
export const GRACE = 14 * DAY
/** Spec §6.3: the days before the sensitive date at which the app is warned. */
export const WARNING_DAYS = [14, 7] as const
/** Spec §6.3: the sweep of the tiers runs every 15 minutes. */
export const SWEEP = 15 * MINUTE
/** Decision "Apps": after a new registration the old client secret stays valid for 24 hours. */
export const CLIENT_SECRET_OVERLAP = 24 * HOUR

/** Decision mail-3: the waits after each failed attempt at a message. */
export const MAIL_WAITS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY] as const

// ---- fixes and rules

/** Decision rules-13: the seconds for which a crossing may wait for a contradiction. */
export const SETTLE_S: Limits = { min: 0, max: 300 }
/** Decision rules-14: the seconds of silence after which a stay may fire. */
export const SILENCE_S: Limits = { min: 300, max: 1_800 }
/** Decision rules-14: silence fires nothing when the last reading is older than this at the end of the dwell time. */
export const LAST_WORD = 30 * MINUTE
/** An undisturbed worker fires a crossing or a stay within this much time after its wait. */
export const SETTLE_PROMPT = 60 * SECOND
/** Decision L3: a reading from further in the future is quarantined. */
export const FUTURE = 5 * MINUTE
/** Decision L3: 2010-01-01. An earlier reading is quarantined. */
export const EARLIEST = 14_610 * DAY
/** Spec §4.6.4: an older fix changes the state of a rule and fires nothing. */
export const STALE = 15 * MINUTE
/** Spec §4.6.3: two firings of a rule are at least 120 s apart. */
export const COOLDOWN = 2 * MINUTE
/** Spec §4.6.5: a batch that comes later than this after its window closed is not applied. */
export const LATE_BATCH = 24 * HOUR
/** Spec §4.6.6: the rules of a connection that may be active at one instant. */
export const ACTIVE_RULES = 10

/** Spec §2.6, §8: a zone's radius, in metres. */
export const RADIUS_M: Limits = { min: 100, max: 10_000 }
/** Spec §2.6, §8: the minutes of a dwell rule. */
export const DWELL_MINUTES: Limits = { min: 5, max: 720 }
/** Spec §2.6, §4.6.8: `max_event_age_s`. */
export const EVENT_AGE_S: Limits = { min: 30, max: 3_600 }

// ---- devices that were left behind (decision M14)

/** Decision devices-5: a device that is back at its spot within this time has not moved. */
export const BACK_SOON = 15 * MINUTE
/** Decision devices-6: a device that sent nothing for this long before a reading does not affect its judgement. */
export const SILENT = 24 * HOUR
/** Decision devices-6: a late reading counts when its own device had moved within this time before the capture. */
export const MOVED_BEFORE = 60 * MINUTE

// ---- purposes

/** Spec §2.4: the characters of a purpose's description. */
export const DESCRIPTION: Limits = { min: 10, max: 200 }
/** Spec §2.4: the calls a day that a purpose expects. */
export const VOLUME: Limits = { min: 1, max: 10_000 }
/** Spec §2.4. */
export const PURPOSE_KEY = /^[a-z][a-z0-9_]{2,39}$/

// ---- questions about zones (Spec §8, decision M8)

/** The questions about zones that an app may ask about one person in any hour. */
export const ZONE_QUESTIONS = 20
/** The largest area of a town, in km², in which the questions of a day may find a person to within 1 km. */
export const LOCATED_KM2 = 48
/** Circles whose edges are further apart are not in one town. */
export const TOWN_M = 17_000
/** A circle with a larger radius cuts a town in two. A smaller circle locates a person in the circle's own area. */
export const SMALL_M = 2_000
/** The width of the band around a small circle's edge. */
export const BAND_M = 50
/** A person counts as located within a disc of 1 km radius. */
export const GUESS_KM2 = Math.PI

// ---- texts

/** Degrees with three or more decimals show where somebody is. */
export const COORDINATE = /-?\b\d{1,3}\.\d{3,}/

// ---- webhooks

/** Spec §2.7: the endpoints of an app. */
export const ENDPOINTS = 5
/** The header has at most this number of signatures; older secrets are cut. */
export const SIGNATURES = 8
/** Spec §4.7: how long an old signing secret stays valid after a rotation. */
export const SECRET_OVERLAP = 24 * HOUR
/** Spec §6.4.5: how long the sender waits for an answer. */
export const ANSWER_DEADLINE = 5 * SECOND
/** Decision W2: how long a worker's lease of a delivery lasts. */
export const LEASE = 30 * SECOND
/** Spec §6.4.6: from the end of an attempt to the beginning of the next. */
export const GAPS = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]
export const ATTEMPTS = GAPS.length + 1
/** Spec §3.4: an endpoint is disabled after this number of exhausted deliveries in a row. */
export const STRIKES = 20
/** Spec §2.9: the delivery log keeps delivered rows this long. */
export const DELIVERED_KEPT = 7 * DAY
/** Spec §2.9: the delivery log keeps rows that were not delivered this long. */
export const UNDELIVERED_KEPT = 30 * DAY

// ---- the access log

/** Decision limits-10: calls of one route with tokens that no longer work share an entry for this long. */
export const DEAD_CALLS = 60 * MINUTE
/** Decision "Limits": the calls of a connection in a minute. A dead call beyond them is not in the log. */
export const CALLS_A_MINUTE = 600

/** Decision P3: the access log keeps entries this long. */
export const LOG_KEPT = 400 * DAY

// ---- scopes

export const SENSITIVE: ReadonlySet<string> = new Set([
  "location.latest.read",
  "location.history.read",
  "location.lookup"
])

/**
 * What a token needs for each endpoint (Spec §2.3, §4.4-4.6, decisions §3). `any_standard`: some standard scope.
 * `none`: a live token is enough.
 */
export const REQUIRED = {
  "GET /v1/me": "none",
  "GET /v1/answers/current-place": "location.place.current",
  "GET /v1/answers/places": "any_standard",
  "GET /v1/answers/places/{place_id}/presence": "location.place.current",
  "POST /v1/answers/verify-zone": "location.zone.verify",
  "GET /v1/lookup/place": "location.place.lookup",
  "GET /v1/visits": "location.visits.read",
  "GET /v1/locations/latest": "location.latest.read",
  "GET /v1/locations/lookup": "location.lookup",
  "GET /v1/locations/timerange": "location.history.read",
  "GET /v1/locations/days": "location.history.read",
  "POST /v1/rules/place": "location.rules.place",
  "POST /v1/rules/zone": "location.rules.zone",
  "GET /v1/rules/place": "location.rules.place",
  "GET /v1/rules/zone": "location.rules.zone",
  "DELETE /v1/rules/place/{id}": "location.rules.place",
  "DELETE /v1/rules/zone/{id}": "location.rules.zone"
} as const satisfies Readonly<Record<Endpoint, string>>

export const isSensitiveEndpoint = (endpoint: Endpoint): boolean => SENSITIVE.has(REQUIRED[endpoint])
