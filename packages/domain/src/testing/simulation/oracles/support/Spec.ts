import type { Endpoint } from "../../Operations.js"

/** Constants of the specification, written down a second time: an oracle that imports the domain's would agree with its mistakes. */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Spec §2.1: 3600 s. */
export const ACCESS_LIFETIME = 3_600 * SECOND
/** Spec §2.1: 60 s. */
export const CODE_LIFETIME = 60 * SECOND
/** Spec §8: 30 s, inclusive (decision T3). */
export const RACE_WINDOW = 30 * SECOND
/** Spec §4.3, §8: 14 days. */
export const GRACE = 14 * DAY
/** Spec §6.3: the sweep of the tiers comes every 15 minutes. */
export const SWEEP = 15 * MINUTE
/** Spec §6.4.6: from the end of an attempt to the beginning of the next. */
export const GAPS = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]
export const ATTEMPTS = GAPS.length + 1

export const SENSITIVE: ReadonlySet<string> = new Set([
  "location.latest.read",
  "location.history.read",
  "location.lookup"
])

/** Spec §2.3, §4.4-4.6, decisions §3. `any_standard`: whichever; `none`: every live token. */
export const REQUIRED: Readonly<Record<Endpoint, string>> = {
  "GET /v1/me": "none",
  "GET /v1/answers/current-place": "location.place.current",
  "GET /v1/answers/places": "any_standard",
  "GET /v1/answers/places/{id}/presence": "location.place.current",
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
}

export const isSensitiveEndpoint = (endpoint: Endpoint): boolean => SENSITIVE.has(REQUIRED[endpoint])
