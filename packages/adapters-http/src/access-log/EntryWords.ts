import type { Event } from "@place-access/domain/events"

/**
 * The texts of access log entries, for the user whom they are about. A test fails when an endpoint or an error has no
 * text here.
 */

/**
 * The events that the access log lists. The access log does not list the other events, because they disclose nothing
 * about the user: they announce the end of the sensitive tier, or test an endpoint.
 */
type Entered = Exclude<Event.EventType, "sensitive.expiring" | "sensitive.lapsed" | "sensitive.removed" | "ping">

const EVENTS: Readonly<Record<`webhook ${Entered}`, string>> = {
  "webhook place.enter": "A notification when you arrive at a place",
  "webhook place.exit": "A notification when you leave a place",
  "webhook place.dwell": "A notification when you stay at a place",
  "webhook zone.enter": "A notification when you arrive in an area",
  "webhook zone.exit": "A notification when you leave an area",
  "webhook zone.dwell": "A notification when you stay in an area",
  "webhook places.changed": "A notification when you share other places"
}

/** The texts for requests of an app or its developer, by the route that was called, and the texts for events. */
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
  "POST /v1/rules/place": "Asked for notifications about a place",
  "GET /v1/rules/place": "Looked at its notifications about places",
  "DELETE /v1/rules/place/{id}": "Stopped its notifications about a place",
  "GET /v1/rules/place/{id}/evaluations": "Asked why it was notified about a place, or was not",
  "POST /v1/rules/zone": "Asked for notifications about an area that it chose",
  "GET /v1/rules/zone": "Looked at its notifications about areas that it chose",
  "DELETE /v1/rules/zone/{id}": "Stopped its notifications about an area",
  "GET /v1/rules/zone/{id}/evaluations": "Asked why it was notified about an area, or was not",
  "GET /v1/developer/apps/{app_id}/rules": "Its developer looked at why it was notified, or was not",
  "GET /developer/apps/{app}/users/{grant}/rules": "Its developer looked at why it was notified, or was not",
  "POST /v1/subscriptions": "Asked for notifications at an address",
  "DELETE /v1/subscriptions/{id}": "Stopped its notifications at an address",
  ...EVENTS
}

/**
 * The text for what the app did. Undefined when this version of the service has no text for the endpoint. A `HEAD`
 * request has the text of the `GET` request, because the two differ only in the body of the answer.
 */
export const deed = (endpoint: string): string | undefined => DEEDS[endpoint.replace(/^HEAD /, "GET ")]

interface Outcome {
  readonly label: "Answered" | "Refused" | "Withheld" | "Not answered"
  /** Why the app got no answer or no event; "" when there is nothing to add. Pages show this text after `label`. */
  readonly why: string
}

const refused = (why: string): Outcome => ({ label: "Refused", why })
const notSent = (why: string): Outcome => ({ label: "Withheld", why })
const failed = (why: string): Outcome => ({ label: "Not answered", why })

/** For each error code, the text that says why the app learned nothing. */
export const OUTCOMES: Readonly<Record<string, Outcome>> = {
  invalid_token: refused("its access token was no longer valid"),
  missing_scope: refused("you have not allowed this"),
  scope_expired: refused("your permission had expired"),
  invalid_purpose: refused("it named no purpose that it may use"),
  rate_limited: refused("it sent too many requests"),
  budget_exceeded: refused("it asked too often about areas that it chose"),
  validation_failed: refused("its request contained mistakes"),
  invalid_request: refused("its request could not be read"),
  payload_too_large: refused("its request was too large"),
  unsupported_media_type: refused("its request was in a format that we do not read"),
  not_found: refused("it asked for something that does not exist, or that it may not know of"),
  conflict: refused("its request did not fit the current state"),
  idempotency_key_in_use: refused("it repeated a request while the same one was being answered"),
  idempotency_key_reused: refused("it sent two different requests as if they were one"),
  rule_limit_reached: refused("it would have had too many rules at once"),
  webhook_url_not_registered: refused("it named an address that it has not registered"),
  unavailable: failed("the service was not available at that moment"),
  connection_on_hold: failed("your connection with the app was on hold"),
  internal_error: failed("something went wrong on our side"),
  client_closed_request: failed("the app hung up before it had the answer; its request may have been carried out"),
  too_old: notSent("the event was too old to be sent"),
  not_authorised: notSent("the app was no longer allowed to know"),
  no_endpoint: notSent("the app has no address for such events")
}

/** The result of a request or event. A code without a text in `OUTCOMES` gives `Refused` without a reason. */
export const outcome = (error: string | null): Outcome =>
  error === null ? { label: "Answered", why: "" } : (OUTCOMES[error] ?? refused(""))

export const outcomeText = (error: string | null): string => {
  const { label, why } = outcome(error)
  return why === "" ? label : `${label}: ${why}`
}
