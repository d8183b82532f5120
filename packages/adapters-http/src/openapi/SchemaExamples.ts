import { Disclosure } from "@place-access/domain/answers"
import { DeviceId, Scope } from "@place-access/domain/shared"
import * as EntryWords from "../access-log/EntryWords.js"
import * as DeviceSetup from "../devices/DeviceSetup.js"
import { quarantineWords } from "../devices/QuarantineWords.js"
import { ids, later, purpose, scopes, sensitive, SERVICE, tokens } from "./ExampleValues.js"

// Example values for fields whose name alone is ambiguous. They describe the same situation as `ExampleValues`: it is
// 18:05 on 2026-03-01, and Grace, who develops the app Umbrella, connected the app that morning.

const all = [...scopes, ...sensitive]
const INBOUND = { accepted: 1, duplicates: 0, quarantined: 0 }
const made = "2026-03-01T09:20:00.000Z"
const submitted = "2026-03-01T10:00:00.000Z"
const terms = { description: purpose, scopes: sensitive, expected_daily_volume: 20 }
const production = "Our production server"

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

/** The fields in which the example of a delivery that has not ended differs from the example of an ended delivery. */
const queued = { state: "trying", next_due_at: "2026-03-01T18:05:00.000Z", ended_at: null }

const setup = DeviceSetup.make(
  { id: DeviceId.make(ids.device), format: "overland" },
  { token: tokens.device, baseUrl: SERVICE.baseUrl }
)

const LATEST = "GET /v1/locations/latest"

/** A permission on the consent page, before the person has decided. */
const choice = (scope: Scope.Scope) => ({
  scope,
  sensitive: Scope.isSensitive(scope),
  description: Scope.describe[scope],
  purposes: Scope.isSensitive(scope) ? [purpose] : [],
  held_before: null,
  preselected: !Scope.isSensitive(scope)
})

/**
 * The numbers of days that the consent page offers for each tier, with the end dates if the person decides at 18:05 on
 * 2026-03-01. 30 days are the default.
 */
const lengths = [
  { days: 1, ends_at: "2026-03-02T18:05:00.000Z", preselected: false },
  { days: 7, ends_at: "2026-03-08T18:05:00.000Z", preselected: false },
  { days: 30, ends_at: "2026-03-31T18:05:00.000Z", preselected: true },
  { days: 90, ends_at: "2026-05-30T18:05:00.000Z", preselected: false }
]

const userConnection = {
  id: ids.connection,
  status: "production",
  on_hold: false,
  held_scopes: scopes,
  agreed_scopes: scopes,
  grant_expires_at: later,
  sensitive_expires_at: null,
  renewal_grace_ends_at: null
}

/**
 * Example values by the container and the field. A container is an operation (`oauth.token`), a named schema, a schema
 * in one operation (`exports.requestExport Export`), or a field that is an object. When several containers of a field
 * have an example for the field, the innermost container decides.
 */
export const fieldsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  actor: { id: ids.user },
  added: { scopes, places: [ids.place], earlier_visits: [] },
  app: { id: ids.app },
  by: { id: ids.user, display_name: "Ada" },
  by_purpose: { description: purpose, purpose: ids.purpose },
  counts: { read: 2_210, stored: 2_104, duplicates: 106, too_recent: 0, too_old: 0, over_limit: 0, quarantined: 0 },
  places: { id: ids.place, kind: "home" },
  put_aside: { last_at: "2026-02-27T22:31:40.000Z", explanation: quarantineWords.unreadable.explanation },
  removed: { scopes: [], places: [], earlier_visits: [] },
  request_headers: { name: "content-type", value: "application/json" },
  response_headers: { name: "content-type", value: "text/plain" },
  setup: {
    address: setup.address,
    qr_text: setup.qrText,
    link: setup.link,
    settings: setup.settings,
    steps: setup.steps,
    tuning: setup.tuning
  },
  subject: { id: ids.app },
  tokens: { sensitive_scopes_expire_at: null },

  "accessLog.list": { purpose: ids.purpose },
  "accounts.confirm": { token: tokens.link },
  "accounts.signUp": {
    message: "Look into your mail: a link there makes the account. It works for 24 hours."
  },
  "addresses.confirmAddress": { token: tokens.link },
  "addresses.undoAddressChange": { token: tokens.link },
  "addresses.useUnlock": { token: tokens.link },
  "admin.decideApp App": { status: "production" },
  "admin.decidePurpose Purpose": { status: "approved", approved: terms },
  "admin.narrow App": { status: "production", allowed_scopes: ["location.place.current"] },
  "admin.revoke App": { status: "production", revoked_at: "2026-03-01T18:05:00.000Z" },
  "apps.create": { scopes: all },
  "apps.submit App": { status: "in_review", submitted_at: submitted },
  "apps.update": { scopes: all },
  "apps.withdraw App": { status: "production" },
  "confirmation.confirmSession": { code: "492039" },
  "credentials.resetPassword": { token: tokens.link },
  "deliveries.redeliver Delivery": { ...queued, replay: true, attempt: 1, sent_at: null, status: null },
  "deliveries.retryNow DeliveryWithAttempts": { ...queued, attempt: 2, status: 503, error: "answered 503" },
  "deliveries.retryNow DeliveryAttempt": { attempt: 1, status: 503, error: "answered 503", snippet: null },
  "devices.add": {
    id: ids.device,
    name: "My phone",
    last_seen_at: null,
    status: "nothing_sent",
    stays_at_home: false,
    put_aside: [],
    token: tokens.device
  },
  "endpoints.create": { events: ["rule.fired"], description: production },
  "endpoints.update": { events: ["rule.fired"], description: production },
  "exports.requestExport Export": { state: "requested", percent: 0, bytes: 0, ready_at: null, expires_at: null },
  "imports.start Import": {
    state: "waiting",
    format: null,
    counts: { read: 0, stored: 0, duplicates: 0, too_recent: 0, too_old: 0, over_limit: 0, quarantined: 0 },
    months: [],
    bytes_done: 0,
    started_at: null,
    finished_at: null
  },
  "imports.undo Import": { state: "undoing" },
  "managedAccounts.suspend ManagedAccount": { suspended_at: "2026-03-01T18:05:00.000Z" },
  "oauth.token": { refresh_token: null },
  "phoneApps.osmand": { lat: "52.3702", lon: "4.8952", speed_mps: "1.2", id: tokens.device },
  "phoneApps.osmandQuery": {
    lat: "52.3702",
    lon: "4.8952",
    speed_mps: "1.2",
    id: tokens.device,
    time: "1772388271",
    spd: "1.2",
    dir: "271",
    alt: "12",
    acc: "15"
  },
  "phoneApps.overland": { token: tokens.device },
  "phoneApps.owntracks": { token: tokens.device },
  "purposes.create": { description: purpose, scopes: sensitive },
  "purposes.submit Purpose": { status: "in_review", submitted_at: submitted },
  "purposes.update": { description: purpose, scopes: sensitive },
  "session.signIn": { code: "492039" },
  "steering.pause UserConnection": {
    pause: { since: "2026-03-01T18:05:00.000Z", until: "2026-03-01T19:05:00.000Z" }
  },
  "subscriptions.create": { id: ids.subscription, created_at: made },
  "testPeople.create": { id: ids.testPerson, name: "Anna, who commutes", last_reading_at: null },

  AccessLogEntry: {
    endpoint: LATEST,
    endpoint_description: EntryWords.deed(LATEST),
    purpose: ids.purpose,
    disclosed: Disclosure.ofLatest(true)
  },
  Account: { id: ids.user, roles: ["developer"] },
  App: { id: ids.app, review_note: null, status: "sandbox", scopes: all },
  AppDay: { calls: 61, refused: 2, limited: 0, failed: 0, rate_percent: 12, firings: 17, connected: 3 },
  AppFigures: { users: 41 },
  AttemptSummary: { attempts: 118, succeeded: 117, p95_ms: 240 },
  AuditEntry: { id: ids.event, detail: { roles: ["developer"] } },
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
  ClientSecret: { expires_at: null },
  Connection: { scopes: all },
  ConsentHistoryEntry: { sensitive_expires_at: null, earlier_visits: [] },
  ConsentReview: {
    id: ids.consentRequest,
    status: "production",
    scopes: [...scopes, ...sensitive].map(choice),
    standard_options: [...lengths, { days: "never", ends_at: null, preselected: false }],
    sensitive_options: lengths,
    preselected: false,
    earlier_visits_preselected: false
  },
  Delivery: delivery,
  DeliveryAttempt: { ended_at: "2026-03-01T18:04:34.000Z" },
  DeliveryWithAttempts: delivery,
  Developer: { id: ids.user },
  Device: { id: ids.device, name: "My phone", format: "overland", status: "sending", stays_at_home: false },
  EndpointFigures: { health: "healthy", last_success_at: "2026-03-01T18:04:34.000Z", waiting: 0 },
  EndpointHour: { succeeded: 6, failed: 0 },
  Evaluation: { at: "2026-03-01T18:04:31.000Z", decision: "fired" },
  Export: {
    id: ids.export,
    state: "ready",
    percent: 100,
    bytes: 1_048_576,
    requested_at: "2026-03-01T10:00:00.000Z",
    ready_at: "2026-03-01T10:00:21.000Z",
    expires_at: "2026-03-08T10:00:21.000Z",
    ended_at: null,
    error: null
  },
  FileTrip: { file: "time,lat,lon\n2026-03-01T17:42:00Z,52.3702,4.8952\n" },
  Ingested: INBOUND,
  Import: {
    id: ids.import,
    format: "gpx",
    state: "done",
    left_out_places: [],
    months: [{ month: "2025-06", read: 2_210, stored: 2_104, too_recent: 0, too_old: 0, quarantined: 0 }],
    columns: null,
    entries_per_second: null,
    seconds_left: null,
    started_at: "2026-03-01T10:00:02.000Z",
    finished_at: "2026-03-01T10:00:21.000Z"
  },
  InspectedApp: { id: ids.app, status: "in_review", review_note: null, scopes: all, submitted_at: submitted },
  Leak: { flagged_at: "2026-03-01T18:05:00.000Z", end_reason: "refresh_token_reused" },
  ManagedAccount: { id: ids.user, roles: ["developer"] },
  NewTestPerson: { name: "Anna, who commutes" },
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
  ReceivedInvitation: {
    id: ids.invitation,
    role: "developer",
    created_at: made,
    expires_at: "2026-03-08T09:20:00.000Z"
  },
  Review: { kind: "app", purpose: null },
  ReviewDecision: { id: ids.decision, decision: "approved", kind: "app", change: null, scopes: all },
  ReviewedApp: { id: ids.app, status: "in_review", review_note: null, scopes: all, submitted_at: submitted },
  ReviewedPurpose: {
    id: ids.purpose,
    description: purpose,
    scopes: sensitive,
    status: "in_review",
    review_note: null,
    submitted_at: submitted,
    approved: null
  },
  Rule: { id: ids.rule, max_event_age_s: 900, created_at: made },
  RuleWithEvaluations: { id: ids.rule, max_event_age_s: 900, created_at: made },
  Session: {
    id: ids.session,
    browser: "Firefox on Linux",
    address: "203.0.113.7",
    signed_in_at: "2026-02-27T08:12:00.000Z",
    last_used_at: "2026-03-01T18:00:00.000Z",
    expires_at: "2026-03-15T18:00:00.000Z"
  },
  SimulatedTrip: {
    ...INBOUND,
    readings: 12,
    accepted: 12,
    from: "2026-03-01T17:53:31.000Z",
    until: "2026-03-01T18:04:31.000Z"
  },
  Team: {
    members: [
      { id: null, name: "Grace", email: "grace@example.com", role: "owner", since: null, is_you: true },
      {
        id: ids.member,
        name: "Ada",
        email: "ada@example.com",
        role: "developer",
        since: "2026-03-01T11:30:00.000Z",
        is_you: false
      }
    ]
  },
  TeamInvitation: {
    id: ids.invitation,
    email: "mary@example.com",
    role: "developer",
    created_at: made,
    expires_at: "2026-03-08T09:20:00.000Z"
  },
  TestPerson: { id: ids.testPerson, name: "Anna, who commutes", last_reading_at: "2026-03-01T18:04:31.000Z" },
  TokenResponse: { sensitive_scopes_expire_at: null },
  TraccarClientMessage: {
    location: { timestamp: "2026-03-01T18:04:31.000Z", coords: { latitude: 52.3702, longitude: 4.8952, accuracy: 15 } }
  },
  UserConnection: userConnection,
  UserConnectionDetails: { ...userConnection, subscriptions: [] },
  UserRule: { id: ids.rule, area: null, webhook_host: null, created_at: made },
  Uses: { since: "2025-12-01T18:05:00.000Z" },
  WebhookEndpoint: {
    id: ids.endpoint,
    events: ["rule.fired"],
    description: production,
    header_names: ["x-tenant"],
    enabled: true
  },
  WebhookEndpointWithSecret: {
    id: ids.endpoint,
    events: ["rule.fired"],
    description: production,
    header_names: ["x-tenant"],
    enabled: true
  },
  Zone: { radius_m: 300, label: "Old Town car park" },
  ZoneRule: {
    id: ids.rule,
    created_at: made,
    max_event_age_s: 900,
    radius_m: 300,
    target: { place_id: null, label: "Old Town car park" }
  }
}
