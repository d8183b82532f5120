import { type Json, list, object, text } from "./Json.js"

/**
 * Describes the fields of bodies by their names (decision wire-3). Generated clients show these descriptions. Where the
 * name of a field does not say enough, the contract has a description of the field, which is used instead.
 */

/** The descriptions by the name of the field. A test fails when a field has no description. */
export const BY_NAME: Readonly<Record<string, string>> = {
  _type: "OwnTracks' word for the kind of message",
  access_token: "Sent as `Authorization: Bearer` with each request; works for an hour",
  accuracy_m: "The radius in metres within which the phone supposes itself; null when it did not say",
  active_from: "From when the rule fires, inclusive; null: from its creation",
  active_until: "Until when the rule fires, exclusive; null: without end",
  actor: "Who did it",
  added: "What the change added",
  address: "The address that the phone sends to",
  allowed_scopes: "The scopes to which an admin restricted the app; null: not restricted",
  altitude_m: "Metres above sea level",
  app: "The app that this is about",
  app_id: "The id of the app",
  app_name: "The name of the app",
  approved: "What is in force",
  apps: "The apps of this page",
  archived_at: "When it was archived; null: it is not",
  arrival: "When the person arrived",
  asOf: "When the phone captured the reading that the answer is based on; null without a reading",
  asks_places: "Whether the page asks which places are shared",
  asks_standard_days: "Whether the page asks when the connection ends",
  at: "When it happened",
  attempt: "The number of the attempt, from 1",
  attempts: "How many attempts there were",
  authorization_endpoint: "Where a user's browser is sent to consent",
  authorization_response_iss_parameter_supported: "Whether the answer names the issuer (RFC 9207)",
  by: "Who decided",
  bytes_done: "How many bytes of the file were read so far",
  bytes_total: "The size of the file in bytes",
  calls: "The calls of this page",
  captured_at: "When the phone took the reading",
  change: "What changed",
  clientId: "The id of the app, as OAuth names it",
  clientSecret: "The client secret, shown only when it is issued",
  client_id: "The id of the app, as OAuth names it",
  code: "The code that the redirect brought; it works once, within 60 seconds",
  codeVerifier: "The PKCE verifier whose SHA-256 was the `code_challenge`",
  code_challenge_methods_supported: "The PKCE methods",
  connected_at: "When the user approved the connection",
  connection_id: "The id of the connection",
  connections: "The connections of this page",
  counts: "How many entries of the file ended in which way",
  course_deg: "The direction of travel in degrees, clockwise from north",
  created_at: "When it was made",
  date: "The day, as YYYY-MM-DD in the asked time zone",
  days: "The number of days that the user can choose",
  days_left: "How many days are left",
  decision: "What is decided",
  decisions: "The decisions of this page",
  delivered: "Whether the receiver answered with 2xx",
  deliveries: "The deliveries of this page",
  deltaSeconds: "Whole seconds between the asked moment and `asOf`, rounded down; null without a reading",
  departure: "When the person left; left out while the visit goes on",
  description: "What the app is for, in its developer's words",
  developer: "Who develops the app",
  developer_name: "The name of the app's developer, as users read it",
  device_id: "The id that the phone's app was set up with",
  devices: "The devices of the account",
  disabled_at: "When the endpoint was disabled; null: it works",
  display_name: "The name that others read, 1 to 80 characters",
  dwell_minutes: "For `dwell`: how long somebody stays before the rule fires, in minutes; null otherwise",
  earlier_visits_preselected: "Whether the box for earlier visits is ticked at first",
  email: "The e-mail address, at most 254 characters",
  enabled: "Whether events are sent to the endpoint",
  end_reason: "Why the connection ended; null: it has not",
  ended_at: "When it ended; null: it has not",
  endpoint_id: "The id of the webhook endpoint",
  ends_at: "When it would end; null: never",
  entries: "The entries of this page",
  erased_at: "When the stretch was deleted",
  error: "The code of the error, which does not change",
  event_id: "The id of the event, the same at every attempt",
  effect: "What the setting is good for, and what it costs in battery",
  events: "The events of this page",
  expected_daily_volume: "The most calls that one user should need in a day, 1 to 10,000",
  expires_at: "When it ends, exclusive; null: it does not",
  expires_in: "For how many seconds the access token works",
  exports: "The archives of the account",
  external_user_id: "The app's own id of the user, as it sent it; null: it sent none",
  failed: "How many failed",
  file_name: "The name of the file, as the browser sent it",
  finished_at: "When it was finished; null: it is not",
  first_at: "When the first reading of the day was captured",
  fix: "The reading; null when there is none",
  fixes: "The readings of this page, oldest first",
  flagged_at: "When the service noticed it",
  flags: "The flags of this page",
  format: "The app on the phone, which decides the form of its requests",
  from: "The beginning, inclusive",
  grantType: "How the tokens are asked for",
  grant_expires_at: "When the connection ends, exclusive; null: never",
  grant_id: "The id of the connection",
  grant_type: "How the tokens are asked for",
  grant_types_supported: "How tokens can be asked for",
  held_before: "Whether the app had the scope before; null: it was not connected",
  held_scopes: "The granted scopes that the app still declares, lapsed ones included. To renew, request exactly these",
  history: "The changes of the connection, newest first",
  homepage_url: "The web page of the app, at most 2,048 characters; null: none",
  id: "The id, which is opaque: at most 64 characters of A-Z, a-z, 0-9, _ and -",
  imports: "The imports of the account",
  include_earlier_visits: "Whether the app may read visits from before the place was shared",
  instant:
    "The first moment, from now on, at which ten rules count already, disabled ones included: the new rule would be the eleventh",
  issuer: "The address of this service, which is also the parameter `iss` of the consent page's answer (RFC 9207)",
  key: "The name that the app's code sends: 3 to 40 characters of a-z, 0-9 and _",
  kind: "What kind of place it is, as its owner says",
  label: "The name of the place or zone, 1 to 80 characters",
  language: "The language of pages and mails; null: that of the browser",
  last_at: "When the last reading of the day was captured",
  last_day: "The last 24 hours",
  last_success_at: "When the newest successful attempt was made; null: none is known",
  last_week: "The last 7 days",
  lat: "Degrees north, -90 to 90",
  leaks: "The leaks of this page",
  live: "Whether the connection works now",
  location: "The reading, as the phone's app sends it",
  locations: "The readings, oldest first or in any order",
  logo: "The digest of the logo; null: none",
  logo_png: "The logo as a PNG in base64; null removes it",
  lon: "Degrees east, -180 to 180",
  main: "What the phone's app should do",
  max_age_s: "How old the reading may be, in seconds: 1 to 86,400",
  max_event_age_s: "Beyond this age in seconds an event is not sent; null: an event is sent at any age",
  message: "What is wrong and what to do, for a person",
  mode: "What the user is asked for",
  name: "The name that people read",
  new_password: "The new password, 10 to 200 characters",
  nextCursor: "Sent as `cursor` to get the next page; null: this is the last one",
  note: "What the reviewer wrote; null: nothing",
  occurred_at: "When it happened",
  password: "The password, 10 to 200 characters",
  pause: "Since when and until when the app is paused; null: it is not",
  phone_has_sent: "Whether a phone of the user has ever sent a reading",
  place: "The place; null: at none of the shared places, or not known",
  place_id: "The id of the place; null: the rule is about a zone",
  places: "The places of this page",
  places_version: "The version of the set of shared places, which grows when a place comes into the set or leaves it",
  preselected: "Whether it is chosen at first",
  previous: "The connection before; null: there was none",
  proposed: "What waits for a reviewer",
  purpose_id: "The id of the purpose",
  purposes: "The purposes of the app",
  qr_text: "The text of a QR code that sets the phone up",
  radius_m: "The radius in metres",
  ready_at: "When the archive was ready; null: it is not",
  received_at: "When the reading arrived at the service",
  redirectUri: "The redirect URI of the authorization request, unchanged",
  redirectUris: "1 to 20 redirect URIs, each at most 2,048 characters",
  redirect_origin: "Scheme, host and port to which the user returns",
  redirect_to: "Where the browser goes next",
  redirect_uris: "1 to 20 redirect URIs, each at most 2,048 characters",
  refreshToken: "The refresh token that was issued last",
  refresh_token: "Gets the next tokens, once; keep it secret",
  refresh_token_expires_at: "When the refresh token ends; null: with the connection only",
  removed: "What the change removed",
  renewal_grace_ends_at:
    "Until when the user can renew the permission for coordinates with one confirmation; null: there is none",
  requested_at: "When it was asked for",
  response_modes_supported: "How the answer of the consent page comes back",
  response_types_supported: "The values of `response_type` at the consent page",
  result: "What the phone's app wants to read",
  reviews: "What waits, longest first",
  revocation_endpoint: "Where tokens are revoked",
  revocation_endpoint_auth_methods_supported: "How the app can authenticate at the revocation endpoint",
  revoked_at: "When it was revoked, by an admin or with the account of its holder; null: it is not revoked",
  role: "The role in the app's team",
  roles: "The roles of the account",
  rules: "The rules of this page",
  scope: "The name of the scope",
  scopes: "The scopes that the app declares",
  scopes_supported: "Every scope",
  secrets: "The secrets, newest first",
  silence_s:
    "How many seconds after `dwell_minutes` a dwell rule fires although the phone, last seen inside, sends nothing; null: never",
  settle_s: "How many seconds a crossing waits for a reading that contradicts it; null: its event is sent at once",
  sensitive: "Whether the scope is about coordinates",
  sensitive_days: "For how many days the app may read coordinates: 1, 7, 30 or 90",
  sensitive_expired_at: "When the permission for coordinates ended",
  sensitive_expires_at: "When the permission for coordinates ends, exclusive; null: there is none",
  sensitive_lapsed_at: "When the permission for coordinates ended; null: it has not",
  sensitive_options: "What the user can choose for coordinates",
  sensitive_scopes_expire_at: "When the permission for coordinates ends, exclusive; null: there is none",
  sent_at: "When the attempt was sent",
  sessions: "The browsers that are signed in",
  shared_at: "When the user shared the place",
  signed_in_at: "When the person signed in",
  since: "The beginning, inclusive",
  speed_mps: "The speed in metres a second",
  standard_days: "For how many days the connection lasts: 1, 7, 30 or 90, or `never`",
  standard_options: "What the user can choose for the end of the connection",
  statusCode: "The HTTP status of the answer",
  stays_at_home: "Whether the device stays at home, so that its readings fire no rule",
  steps: "What the person does on the phone, in order",
  sub: "The id of the user for this app: other apps get another one",
  submitted_at: "Since when it waits for a reviewer",
  succeeded: "How many succeeded",
  target: "What the rule is about",
  test: "Whether it is a test that the developer sent",
  test_people: "The test people of the app, oldest first",
  time_zone: "The IANA name of the time zone, at most 64 characters",
  to: "The end, exclusive",
  token_endpoint: "Where tokens are asked for",
  token_endpoint_auth_methods_supported: "How the app can authenticate at the token endpoint",
  token_type: "How the token is sent",
  trip: "Which form of trip it is",
  type: "The type of the event",
  until: "The end, exclusive",
  uploaded_at: "When the file was uploaded",
  url: "The address that receives webhooks, at most 2,048 characters",
  users: "The users of this page",
  visit_tracking: "Whether the phone's app should send visits",
  webhook_url: "The address that gets the rule's events; null: every endpoint that subscribes to them",
  webhooks: "The endpoints of the app"
}

/**
 * Adds the missing descriptions below `part`, in place. A description may end in words that say what null means. Where
 * the field cannot be null, these words are removed: fields with the same name share one description, although null is
 * possible in only some of them.
 */
export const addTo = (part: unknown): void => {
  if (Array.isArray(part)) for (const one of part) addTo(one)
  if (typeof part !== "object" || part === null || Array.isArray(part)) return
  const schema = part as Json
  const properties = object(schema["properties"])
  for (const [name, value] of Object.entries(properties)) {
    const field = object(value)
    const description = field["description"] ?? (Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined)
    if (description !== undefined) {
      properties[name] = {
        ...field,
        description: mayBeNull(field) ? description : text(description).replace(OF_NULL, "")
      }
    }
    addTo(properties[name])
  }
  for (const key of WITHIN) addTo(schema[key])
}

/** Matches the words at the end of a description that say what null means. */
const OF_NULL = /; null\b.*$/

const mayBeNull = ({ anyOf, enum: values, oneOf, type }: Json): boolean =>
  [list(values), type].flat().some((one) => one === null || one === "null") ||
  [...list(anyOf), ...list(oneOf)].some((one) => mayBeNull(object(one)))

/** The keys, besides `properties`, under which a schema contains other schemas. */
const WITHIN = ["items", "anyOf", "oneOf", "allOf", "additionalProperties"] as const

/** The paths of the fields below `part` that have no description. */
export const missing = (part: unknown, at: string): ReadonlyArray<string> => {
  if (Array.isArray(part)) return part.flatMap((one) => missing(one, at))
  if (typeof part !== "object" || part === null) return []
  const schema = part as Json
  return [
    ...Object.entries(object(schema["properties"])).flatMap(([name, field]) => [
      ...(object(field)["description"] === undefined ? [`${at}.${name}`] : []),
      ...missing(field, `${at}.${name}`)
    ]),
    ...WITHIN.flatMap((key) => missing(schema[key], at))
  ]
}
