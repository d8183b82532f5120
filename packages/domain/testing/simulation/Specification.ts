import type { Endpoint } from "./Operations.js"

/**
 * The constants that the oracles and the simulated world need, copied from the specification. This file imports no
 * constant of the product: if the product's constant is wrong, an oracle that used it would find no violation.
 */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The smallest and the largest value that are allowed. */
export interface Limits {
  readonly min: number
  readonly max: number
}

export const isWithin = (value: number, { max, min }: Limits): boolean => value >= min && value <= max

// ---- accounts

/** Decision accounts-6: a session ends 14 days after its last use, and 30 days after the sign-in at the latest. */
export const SESSION_IDLE = 14 * DAY
export const SESSION_LONGEST = 30 * DAY
/** Decision accounts-6: using a session extends the session at most once an hour. */
export const SESSION_RENEWED = 3_600 * SECOND
/**
 * Decision A2: after five failed sign-ins to one account from unknown browsers within 15 minutes, the service refuses
 * further sign-ins to this account from unknown browsers.
 */
export const GUESSES = 5
export const GUESSES_REMEMBERED = 15 * MINUTE

// ---- listeners

/** Decision listeners-3: an app has at most five listeners, and a stream has a heartbeat every 15 s. */
export const LISTENERS = 5
export const HEARTBEAT = 15 * SECOND
/** Decision listeners-3: a listener without a heartbeat counts as present for this long. */
export const LISTENER_LIFE = 45 * SECOND

// ---- tokens and tiers

/** Spec §2.1: how long an access token is valid. */
export const ACCESS_LIFETIME = 3_600 * SECOND
/**
 * How long the service can find the owner of an access token, counted from the token's issue: until a day after the
 * token's end.
 */
export const ACCESS_REMEMBERED = ACCESS_LIFETIME + DAY
/** Spec §2.1: how long an authorization code can be exchanged. */
export const CODE_LIFETIME = 60 * SECOND
/**
 * Spec §8: a refresh token does not count as stolen when it is presented again at most this long after its first use.
 * The same holds for a code that is presented again with the same `Idempotency-Key` (decision T3).
 */
export const RACE_WINDOW = 30 * SECOND
/**
 * Decision connection-6: when the user allows exact location again without choosing a number of days, the sensitive
 * tier lasts this many days.
 */
export const TIER_DAYS = 30
/** Spec §4.3, §8: during this time after the sensitive tier's end date, a renewal brings the sensitive scopes back. */
export const GRACE = 14 * DAY
/** Spec §6.3: the service warns the app twice, this many days before the sensitive tier's end date. */
export const WARNING_DAYS = [14, 7] as const
/** Spec §6.3: the interval between two sweeps of the tiers. */
export const SWEEP = 15 * MINUTE
/** Decision "Apps": how long an app's old client secret stays valid after the app got a new secret. */
export const CLIENT_SECRET_OVERLAP = 24 * HOUR

/** Decision mail-3: the wait after the first failed attempt to send a message, after the second, and so on. */
export const MAIL_WAITS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY] as const

// ---- fixes and rules

/**
 * Decision rules-13: how many seconds a rule may wait after a crossing before the rule fires, in case a later fix
 * contradicts the crossing.
 */
export const SETTLE_S: Limits = { min: 0, max: 300 }
/**
 * Decision rules-14: how many seconds after the end of its dwell time a dwell rule may fire without a further reading.
 */
export const SILENCE_S: Limits = { min: 300, max: 1_800 }
/**
 * Decision rules-14: a dwell rule does not fire by silence (without a further reading) if its last reading is older
 * than this at the end of the dwell time.
 */
export const LAST_WORD = 30 * MINUTE
/**
 * The longest time from the end of the wait of a rule (`settle_s` or `silence_s`) to its firing, when no fault disturbs
 * the worker.
 */
export const SETTLE_PROMPT = 60 * SECOND
/** Decision L3: a reading whose capture time is further than this in the future is quarantined. */
export const FUTURE = 5 * MINUTE
/** Decision L3: 2010-01-01T00:00Z. A reading with an earlier capture time is quarantined. */
export const EARLIEST = 14_610 * DAY
/** Spec §4.6.4: a fix that arrives later than this after its capture changes the state of a rule but fires nothing. */
export const STALE = 15 * MINUTE
/** Spec §4.6.3: two firings of a rule are at least 120 s apart. */
export const COOLDOWN = 2 * MINUTE
/** Spec §4.6.5: a batch that arrives later than this after the end of a rule's window does not change the rule. */
export const LATE_BATCH = 24 * HOUR
/** Spec §4.6.6: how many rules of a connection may be active at one instant. */
export const ACTIVE_RULES = 10

/** Spec §2.6, §8: the radius that a zone may have, in metres. */
export const RADIUS_M: Limits = { min: 100, max: 10_000 }
/** Spec §2.6, §8: the minutes that a dwell rule may require. */
export const DWELL_MINUTES: Limits = { min: 5, max: 720 }
/** Spec §2.6, §4.6.8: the values of `max_event_age_s` that a rule may have. */
export const EVENT_AGE_S: Limits = { min: 30, max: 3_600 }

// ---- devices that were left behind (decision M14)

/** Decision devices-5: a device that returns to its spot within this time counts as not having moved. */
export const BACK_SOON = 15 * MINUTE
/**
 * Decision devices-6: the service does not compare a reading with another device that sent nothing in this time before
 * the reading.
 */
export const SILENT = 24 * HOUR
/**
 * Decision devices-6: for a late reading, the service assumes that the user carried the device, if the device moved
 * within this time before the capture.
 */
export const MOVED_BEFORE = 60 * MINUTE

// ---- purposes

/** Spec §2.4: how many characters a purpose's description may have. */
export const DESCRIPTION: Limits = { min: 10, max: 200 }
/** Spec §2.4: how many calls a day a purpose may expect. */
export const VOLUME: Limits = { min: 1, max: 10_000 }
/** Spec §2.4: the form of a purpose's key. */
export const PURPOSE_KEY = /^[a-z][a-z0-9_]{2,39}$/

// ---- questions about zones (Spec §8, decision M8)

/** How many questions about zones an app may ask about one person within an hour. */
export const ZONE_QUESTIONS = 20
/**
 * The budget of a day (decision M8). With all questions about one person on one day, an app may be able to locate the
 * person to within 1 km, if the person is in a certain part of a town. This part may have at most this many km².
 */
export const LOCATED_KM2 = 48
/** Two circles whose boundaries are further apart than this, in metres, are not in one town. */
export const TOWN_M = 17_000
/**
 * The radius, in metres, up to which a circle counts as small (decision M8). A question about a small circle adds the
 * circle's area to the sum of the day (`LOCATED_KM2`). A larger circle can cut the area that is left to search in two.
 * So a question about a larger circle adds no area. It doubles the area that every later question adds, and the area
 * that the guess at the end of the search adds (`GUESS_KM2`).
 */
export const SMALL_M = 2_000
/**
 * The width, in metres, of the band around a small circle's boundary. The band counts as part of the circle's area. A
 * fix whose accuracy is worse than this decides no answer of verify-zone.
 */
export const BAND_M = 200
/** The area, in km², in which a guess finds a person without any question: a disc of 1 km radius. */
export const GUESS_KM2 = Math.PI

// ---- texts

/** Matches a coordinate: degrees with three or more decimals show where somebody is. */
export const COORDINATE = /-?\b\d{1,3}\.\d{3,}/

// ---- webhooks

/** Spec §2.7: how many endpoints an app may have. */
export const ENDPOINTS = 5
/**
 * The largest number of signatures in a webhook's signature header. With more valid secrets, only the newest secrets
 * sign.
 */
export const SIGNATURES = 8
/** Spec §4.7: an endpoint's old signing secret stays valid for this long after a rotation. */
export const SECRET_OVERLAP = 24 * HOUR
/** Spec §6.4.5: the longest time for which the sender waits for a receiver's answer. */
export const ANSWER_DEADLINE = 5 * SECOND
/** Decision W2: how long a worker's lease of a delivery lasts. */
export const LEASE = 30 * SECOND
/** Spec §6.4.6: the waits from the end of each attempt to the beginning of the next attempt. */
export const GAPS = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]
export const ATTEMPTS = GAPS.length + 1
/**
 * Spec §3.4: the service disables an endpoint after this number of deliveries in a row that failed at every attempt.
 */
export const STRIKES = 20
/** Spec §2.9: the delivery log keeps a delivered row for this long. */
export const DELIVERED_KEPT = 7 * DAY
/** Spec §2.9: the delivery log keeps a row that was not delivered for this long. */
export const UNDELIVERED_KEPT = 30 * DAY

// ---- the access log

/**
 * Decision limits-10: within this time, calls of one connection to one route with tokens that have stopped working are
 * counted in one entry of the access log.
 */
export const DEAD_CALLS = 60 * MINUTE
/**
 * Decision "Limits": how many calls a connection may make in a minute. The access log has no entry for a call that is
 * beyond this limit and has a token that has stopped working.
 */
export const CALLS_A_MINUTE = 600

/** Decision P3: the access log keeps an entry for this long. */
export const LOG_KEPT = 400 * DAY

// ---- scopes

export const SENSITIVE: ReadonlySet<string> = new Set([
  "location.latest.read",
  "location.history.read",
  "location.lookup"
])

const ABOUT_AREAS: ReadonlySet<string> = new Set(["location.rules.zone", "location.zone.verify"])
/** Whether the scope is about the places that the user shares (decision consent-14). */
export const usesPlaces = (scope: string): boolean => !SENSITIVE.has(scope) && !ABOUT_AREAS.has(scope)

/**
 * What a token needs for each endpoint (Spec §2.3, §4.4-4.6, decisions §3): the named scope, any standard scope
 * (`any_standard`), or no scope (`none`).
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
  "GET /v1/rules/place": "any_standard",
  "GET /v1/rules/zone": "any_standard",
  "DELETE /v1/rules/place/{id}": "any_standard",
  "DELETE /v1/rules/zone/{id}": "any_standard"
} as const satisfies Readonly<Record<Endpoint, string>>

export const isSensitiveEndpoint = (endpoint: Endpoint): boolean => SENSITIVE.has(REQUIRED[endpoint])
