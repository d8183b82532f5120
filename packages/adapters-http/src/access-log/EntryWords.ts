/** What the entries of the access log say to the user whose they are. A test knows when an endpoint or an error is left out. */

/** By route, or by event: what the app did. */
export const DEEDS: Readonly<Record<string, string>> = {
  "GET /v1/me": "Looked at what you allowed it",
  "GET /v1/answers/current-place": "Asked which of your places you are at",
  "GET /v1/answers/places": "Asked which places you share",
  "GET /v1/answers/places/{place_id}/presence": "Asked whether you are at a place",
  "POST /v1/answers/verify-zone": "Asked whether you are in an area that it chose",
  "GET /v1/lookup/place": "Asked which of your places you were at, at some time",
  "GET /v1/visits": "Asked for your visits to your places",
  "GET /v1/locations/latest": "Asked for your exact location",
  "GET /v1/locations/lookup": "Asked for your exact location at some time",
  "GET /v1/locations/timerange": "Asked for your exact locations over some time",
  "GET /v1/locations/days": "Asked on which days your location is known",
  "POST /v1/rules/place": "Asked to be told about a place",
  "GET /v1/rules/place": "Looked at what it is told about places",
  "DELETE /v1/rules/place/{id}": "Stopped being told about a place",
  "GET /v1/rules/place/{id}/evaluations": "Asked why it was told about a place, or was not",
  "POST /v1/rules/zone": "Asked to be told about an area that it chose",
  "GET /v1/rules/zone": "Looked at what it is told about areas that it chose",
  "DELETE /v1/rules/zone/{id}": "Stopped being told about an area",
  "GET /v1/rules/zone/{id}/evaluations": "Asked why it was told about an area, or was not",
  "GET /v1/developer/apps/{app_id}/rules": "Its developer looked at why it was told, or was not",
  "GET /developer/apps/{app}/users/{grant}/rules": "Its developer looked at why it was told, or was not",
  "POST /v1/subscriptions": "Asked to be told at an address what its rules notice",
  "DELETE /v1/subscriptions/{id}": "Stopped being told at an address",
  "webhook place.enter": "To be told when you arrive at a place",
  "webhook place.exit": "To be told when you leave a place",
  "webhook place.dwell": "To be told when you stay at a place",
  "webhook zone.enter": "To be told when you arrive in an area",
  "webhook zone.exit": "To be told when you leave an area",
  "webhook zone.dwell": "To be told when you stay in an area",
  "webhook places.changed": "To be told when you share other places"
}

/** What the app did; undefined for what this version does not know. `HEAD` is a `GET` without the answer's body. */
export const deed = (endpoint: string): string | undefined => DEEDS[endpoint.replace(/^HEAD /, "GET ")]

interface Outcome {
  readonly label: string
  /** Goes on after the label and a colon. */
  readonly why: string
}

const refused = (why: string): Outcome => ({ label: "Refused", why })
const notSent = (why: string): Outcome => ({ label: "Withheld", why })
const failed = (why: string): Outcome => ({ label: "Not answered", why })

/** By error code: why the app learned nothing. */
export const OUTCOMES: Readonly<Record<string, Outcome>> = {
  invalid_token: refused("its key was not good any more"),
  missing_scope: refused("you have not allowed it this"),
  scope_expired: refused("your permission had run out"),
  invalid_purpose: refused("it named no purpose that it may use"),
  rate_limited: refused("it asked too often"),
  budget_exceeded: refused("it asked too much about areas of its own"),
  validation_failed: refused("what it asked made no sense"),
  invalid_request: refused("what it asked could not be read"),
  payload_too_large: refused("what it sent was too large"),
  unsupported_media_type: refused("what it sent could not be read"),
  not_found: refused("there is no such thing, or it may not know of it"),
  conflict: refused("it did not fit with what is there"),
  idempotency_key_in_use: refused("it asked again before it had its answer"),
  idempotency_key_reused: refused("it asked two different things as if they were one"),
  rule_limit_reached: refused("it wants to be told of too much at once"),
  webhook_url_not_registered: refused("it named an address that it has not registered"),
  unavailable: failed("we were not able to at that moment"),
  internal_error: failed("something went wrong on our side"),
  client_closed_request: failed("it hung up before; what it asked for may have been done"),
  too_old: notSent("it was too old to be sent"),
  not_authorised: notSent("the app may not be told any more"),
  no_endpoint: notSent("the app listens nowhere for it")
}

/** What came of it, in words: `answered`, or why not. */
export const outcome = (error: string | null): Outcome =>
  error === null ? { label: "Answered", why: "" } : (OUTCOMES[error] ?? refused(""))

export const outcomeText = (error: string | null): string => {
  const { label, why } = outcome(error)
  return why === "" ? label : `${label}: ${why}`
}
