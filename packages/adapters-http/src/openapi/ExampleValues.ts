import { EventId, Scope } from "@place-access/domain/shared"

/** All examples describe the same situation: a user at home, an app called Umbrella, and its endpoint. */

/** Ids that look like real ones; none exists. */
const id = (prefix: string, tail: string): string => `${prefix}_${tail}`

export const ids = {
  app: id("app", "4q8zc1v7n2x9k5m3d6t0h8ws"),
  connection: id("con", "7h3k9d2m5x8v1c6n4t0q2w9z"),
  consentRequest: id("crq", "2x8v5n1k7m4c9d3h6t0q8w5z"),
  delivery: id("dlv", "9c4n7t2k8x1m5v3d6h0q4w2z"),
  device: id("dev", "5m1x9k4v7c2n8d3t6h0q1w7z"),
  endpoint: id("ep", "3d7m2x8k5v9c1n4t6h0q6w3z"),
  event: EventId.make(id("evt", "8k2d5v9x3m7c1n4t6h0q9w5z")),
  export: id("exp", "3n7w0b5r8e2m6x1k4t9d0q3h"),
  import: id("imp", "6v3k8m1x5c9n2d7t4h0q3w8z"),
  place: id("plc", "1n6t4c8k2x9v5m3d7h0q7w4z"),
  purpose: id("pps", "4t9c2n6k1x7m5v8d3h0q5w1z"),
  decision: id("rvw", "7x2n5c9k3v8m1d6t4h0q2w6z"),
  request: id("req", "6d1n9k4c8t2x5m7v3h0q2w8z"),
  rule: id("rul", "2c8n4t1k6x9m3v7d5h0q8w2z"),
  sub: id("sub", "9t3c7n1k5x8m2v6d4h0q1w9z"),
  subscription: id("sbs", "5k1n8c3t7x2m9v4d6h0q4w8z"),
  user: id("usr", "3x9n5t2k8c1m7v4d6h0q6w1z")
} as const

export const SERVICE = { baseUrl: "https://access.example.com" }

/** A secret that readers recognise as an example, of the same length as a real one. */
const secret = (of: string): string => `${of.replace(/[^a-z0-9]/g, "")}0example0`.repeat(6).slice(0, 52)

export const tokens = {
  access: `pa_at.${ids.connection}.${secret("access")}`,
  refresh: `pa_rt.${ids.connection}.${secret("refresh")}`,
  code: `pa_ac.${ids.connection}.${secret("code")}`,
  device: `pa_dv.${ids.user}.${secret("device")}`,
  client: `pa_cs_${secret("client")}`,
  signing: `whsec_${secret("signing")}`,
  link: secret("link")
} as const

/** The PKCE verifier and challenge of RFC 7636, appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

const scopes = ["location.place.current", "location.rules.place"]
const sensitive = ["location.latest.read"]
const purpose = "To have your coffee ready when you come through the door."
const later = "2026-03-31T09:15:00.000Z"

/** Example values by the name of the field, whatever schema the field is in. */
export const fields: Readonly<Record<string, unknown>> = {
  access_token: tokens.access,
  accuracy: "15",
  accuracy_m: 15,
  address: "https://access.example.com/v1/phone/locations",
  altitude: "12",
  app_id: ids.app,
  app_name: "Umbrella",
  arrival: "2026-03-01T17:42:10.000Z",
  asOf: "2026-03-01T18:04:31.000Z",
  at: "2026-03-01T18:05:00.000Z",
  attempt: 1,
  bearing: "271",
  bytes_done: 482_113,
  bytes_total: 482_113,
  calls: 61,
  captured_at: "2026-03-01T18:04:31.000Z",
  client_id: ids.app,
  clientId: ids.app,
  client_secret: tokens.client,
  clientSecret: tokens.client,
  code: tokens.code,
  code_verifier: verifier,
  codeVerifier: verifier,
  connected_at: "2026-03-01T09:15:00.000Z",
  connection_id: ids.connection,
  count: 12,
  created_at: "2026-03-01T09:20:00.000Z",
  date: "2026-03-01",
  days_left: 14,
  delivered: true,
  delivery_id: ids.delivery,
  deltaSeconds: 29,
  departure: "2026-03-01T21:10:44.000Z",
  description: "Reminds you of your umbrella",
  detail: "The receiver answered 200",
  developer_name: "Grace",
  device_id: tokens.device,
  disclosed: "arrived at Home",
  display_name: "Grace",
  email: "grace@example.com",
  endpoint: "GET /v1/answers/current-place",
  endpoint_description: "Asked which of your shared places you are at",
  endpoint_id: ids.endpoint,
  event_id: ids.event,
  expected_daily_volume: 20,
  expires_in: 3_600,
  external_user_id: "user-4711",
  file_name: "walks-2025.gpx",
  first_at: "2026-03-01T06:58:02.000Z",
  fixes: 412,
  from: "2026-03-01T00:00:00.000Z",
  grant_expires_at: later,
  grant_id: ids.connection,
  held_scopes: [...scopes, ...sensitive],
  homepage_url: "https://umbrella.example",
  instant: "2026-03-02T08:00:00.000Z",
  keep_days: 90,
  kept_since: "2025-12-01T18:05:00.000Z",
  key: "order_ahead",
  label: "Home",
  language: "de",
  last_at: "2026-03-01T22:31:40.000Z",
  last_seen_at: "2026-03-01T18:04:33.000Z",
  last_used_at: "2026-03-01T18:05:00.000Z",
  lat: 52.3702,
  leaving: [],
  link: null,
  logo: "1035bacdbfeb617dcefe5e2dd1279beb21fd189aea733586b65cc4ac3cf473a2",
  /** A black square. */
  logo_png: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC",
  lon: 4.8952,
  matched: true,
  max_age_s: 900,
  mode: "new",
  name: "Umbrella",
  new_password: "purple monkey dishwasher",
  note: "Thank you, clear and short.",
  occurred_at: "2026-03-01T18:04:31.000Z",
  outcome: "ok",
  outcome_description: "Answered",
  password: "correct horse battery staple",
  place_id: ids.place,
  places_version: 3,
  purpose: "order_ahead",
  purpose_description: purpose,
  purpose_id: ids.purpose,
  purposes: [purpose],
  qr_text: "https://access.example.com/v1/phone/locations",
  queued: 17,
  radius_m: 150,
  reason: "It asked for more than it told its users.",
  received_at: "2026-03-01T18:04:33.000Z",
  redirect_origin: "https://umbrella.example",
  redirect_to: `https://umbrella.example/callback?code=${tokens.code}&state=af0ifjsldkj`,
  redirect_uri: "https://umbrella.example/callback",
  redirectUri: "https://umbrella.example/callback",
  redirect_uris: ["https://umbrella.example/callback"],
  redirectUris: ["https://umbrella.example/callback"],
  refresh_token: tokens.refresh,
  refreshToken: tokens.refresh,
  refresh_token_expires_at: later,
  renewal_grace_ends_at: "2026-04-14T09:15:00.000Z",
  revision: 2,
  roles: [],
  rule_id: ids.rule,
  scope: scopes.join(" "),
  scopes: scopes,
  secret: tokens.signing,
  sensitive: false,
  sensitive_expired_at: later,
  sensitive_expires_at: later,
  sensitive_scopes_expire_at: later,
  sent_at: "2026-03-01T18:04:34.000Z",
  shared_at: "2026-03-01T09:15:00.000Z",
  since: "2026-02-28T00:00:00.000Z",
  snippet: "ok",
  speed: "2.4",
  speed_mps: 1.2,
  status: 200,
  steps: ["Open the app's settings", "Paste the address and the token"],
  sub: ids.sub,
  submitted_at: "2026-03-01T10:00:00.000Z",
  timestamp: "1772388271",
  to: "2026-03-02T00:00:00.000Z",
  token: tokens.access,
  tolerance_s: 900,
  tz: "Europe/Amsterdam",
  time_zone: "Europe/Amsterdam",
  uploaded_at: "2026-03-01T10:00:00.000Z",
  url: "https://umbrella.example/webhooks",
  without_purpose: 40
}

const delivery = {
  id: ids.delivery,
  type: "place.enter",
  state: "delivered",
  created_at: "2026-03-01T18:04:33.000Z",
  ended_at: "2026-03-01T18:04:34.000Z",
  replay: false,
  replayed: false,
  test: false
}

/** Example values for fields whose name alone is ambiguous: by the schema and the field. */
export const fieldsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  app: { id: ids.app },
  by: { id: ids.user },
  by_purpose: { description: purpose, purpose: ids.purpose },
  counts: { read: 2_210, stored: 2_104, too_recent: 18, too_old: 0, over_limit: 0, quarantined: 0 },
  "accessLog.list": { purpose: ids.purpose },
  "credentials.resetPassword": { token: tokens.link },
  "devices.add": { id: ids.device, name: "My phone", last_seen_at: null, token: tokens.device },
  "endpoints.create": { events: ["rule.fired"], description: "Our production server" },
  "endpoints.update": { events: ["rule.fired"], description: "Our production server" },
  "oauth.token": { refresh_token: null },
  "phoneApps.osmand": { lat: "52.3702", lon: "4.8952", speed_mps: "1.2", id: tokens.device },
  "phoneApps.osmandQuery": { lat: "52.3702", lon: "4.8952", speed_mps: "1.2", id: tokens.device },
  places: { id: ids.place, kind: "home" },
  "purposes.create": { description: purpose, scopes: sensitive },
  "purposes.update": { description: purpose, scopes: sensitive },
  settings: { name: "Server URL", value: "https://access.example.com/v1/phone/overland" },
  subject: { id: ids.app },
  "subscriptions.create": { id: ids.subscription },
  AccessLogEntry: { purpose: ids.purpose },
  Account: { id: ids.user, roles: ["developer"] },
  App: { id: ids.app, review_note: null, status: "sandbox" },
  AuthorizationServerMetadata: {
    issuer: "https://access.example.com",
    authorization_endpoint: "https://access.example.com/authorize",
    token_endpoint: "https://access.example.com/v1/oauth/token",
    revocation_endpoint: "https://access.example.com/v1/oauth/revoke",
    scopes_supported: Scope.all,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256"]
  },
  AppUser: { held_scopes: scopes, sensitive_expires_at: null, renewal_grace_ends_at: null },
  Connection: { scopes: [...scopes, ...sensitive] },
  ConsentReview: { id: ids.consentRequest, preselected: true },
  Delivery: delivery,
  DeliveryAttempt: { ended_at: "2026-03-01T18:04:34.000Z" },
  DeliveryWithAttempts: delivery,
  Developer: { id: ids.user },
  Device: { id: ids.device, name: "My phone", format: "overland" },
  Evaluation: { at: "2026-03-01T18:04:31.000Z", decision: "fired" },
  Export: {
    id: ids.export,
    state: "ready",
    percent: 100,
    bytes: 1_048_576,
    ready_at: "2026-03-01T10:00:21.000Z",
    expires_at: "2026-03-08T10:00:21.000Z",
    ended_at: null,
    error: null
  },
  Ingested: { accepted: 1, duplicates: 0, quarantined: 0 },
  Import: {
    id: ids.import,
    format: "gpx",
    state: "done",
    left_out_places: [],
    months: [{ month: "2025-06", read: 2_210, stored: 2_104, too_recent: 18, too_old: 0, quarantined: 0 }],
    columns: null,
    entries_per_second: null,
    seconds_left: null,
    finished_at: "2026-03-01T10:00:21.000Z"
  },
  InspectedApp: { id: ids.app, status: "in_review", review_note: null },
  NewZoneRule: { radius_m: 300, label: "Old Town car park" },
  OverlandBatch: {
    locations: [
      {
        type: "Feature",
        geometry: { type: "Point", coordinates: [4.8952, 52.3702] },
        properties: { timestamp: "2026-03-01T18:04:31Z", horizontal_accuracy: 15, speed: 1, device_id: "iphone" }
      }
    ]
  },
  OwnTracksMessage: { _type: "location", tst: 1_772_388_271, lat: 52.3702, lon: 4.8952, acc: 15 },
  Place: { id: ids.place, kind: "home" },
  PlaceRef: { id: ids.place, kind: "home" },
  Purpose: {
    id: ids.purpose,
    description: purpose,
    scopes: sensitive,
    status: "draft",
    review_note: null,
    submitted_at: null,
    approved: null
  },
  Review: { kind: "app", purpose: null },
  ReviewDecision: { id: ids.decision, decision: "approved", kind: "app" },
  ReviewedApp: { id: ids.app, status: "in_review", review_note: null },
  ReviewedPurpose: {
    id: ids.purpose,
    description: purpose,
    scopes: sensitive,
    status: "in_review",
    review_note: null,
    approved: null
  },
  Rule: { id: ids.rule, max_event_age_s: 900 },
  RuleWithEvaluations: { id: ids.rule, max_event_age_s: 900 },
  TokenResponse: { sensitive_scopes_expire_at: null },
  TraccarClientMessage: {
    location: { timestamp: "2026-03-01T18:04:31.000Z", coords: { latitude: 52.3702, longitude: 4.8952, accuracy: 15 } }
  },
  UserConnection: { id: ids.connection, held_scopes: scopes, sensitive_expires_at: null, renewal_grace_ends_at: null },
  UserRule: { id: ids.rule, area: null },
  WebhookEndpoint: { id: ids.endpoint, events: ["rule.fired"], description: "Our production server", enabled: true },
  WebhookEndpointWithSecret: {
    id: ids.endpoint,
    events: ["rule.fired"],
    description: "Our production server",
    enabled: true
  },
  Zone: { radius_m: 300, label: "Old Town car park" },
  ZoneRule: {
    id: ids.rule,
    max_event_age_s: 900,
    radius_m: 300,
    target: { place_id: null, label: "Old Town car park" }
  }
}

/** Nullable fields for which null is the usual value. */
export const NULLS: ReadonlySet<string> = new Set([
  "active_from",
  "active_until",
  "allowed_scopes",
  "archived_at",
  "disabled_at",
  "dwell_minutes",
  "end_reason",
  "ended_at",
  "error",
  "fail_reason",
  "held_before",
  "link",
  "max_event_age_s",
  "next_due_at",
  "nextCursor",
  "note",
  "previous",
  "review_note",
  "revoked_at",
  "sensitive_lapsed_at",
  "settle_s",
  "silence_s",
  "submitted_at",
  "uses",
  "webhook_url"
])

/** The value of `{id}` in a path, by the path segment before it. */
export const idsByPath: Readonly<Record<string, string>> = {
  apps: ids.app,
  connections: ids.connection,
  "consent-requests": ids.consentRequest,
  devices: ids.device,
  exports: ids.export,
  imports: ids.import,
  place: ids.rule,
  places: ids.place,
  purposes: ids.purpose,
  rules: ids.rule,
  subscriptions: ids.subscription,
  zone: ids.rule
}
