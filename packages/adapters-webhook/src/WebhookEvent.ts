/**
 * The types of the parsed bodies that an endpoint gets (Spec §6.2). Kinds of events may be added, and an endpoint that
 * subscribes to all events gets them too, so a receiver must ignore an unknown `type`.
 */
export type WebhookEvent =
  | RuleFiredEvent
  | PlacesChangedEvent
  | SensitiveExpiringEvent
  | SensitiveLapsedEvent
  | SensitiveRemovedEvent
  | PingEvent

interface Envelope {
  /**
   * The id is the same in every delivery of the event: in retries, in replays and in deliveries to other endpoints.
   * Skip an event whose id you have handled before.
   */
  readonly event_id: string
  readonly app_id: string
  readonly endpoint_id: string
  /** ISO 8601 in UTC with milliseconds, like every time in an event. */
  readonly occurred_at: string
  /**
   * Present in a sample that a developer sent to this endpoint. Nothing happened, and the ids of the connection, the
   * rule and the place are invented.
   */
  readonly sample?: true
}

interface UserEvent extends Envelope {
  /** The connection: one user's approval of your app. */
  readonly grant_id: string
}

export type EventSensitiveScope = "location.latest.read" | "location.history.read" | "location.lookup"

/** A rule on a place or a zone fired. */
export interface RuleFiredEvent extends UserEvent {
  readonly type: "place.enter" | "place.exit" | "place.dwell" | "zone.enter" | "zone.exit" | "zone.dwell"
  readonly rule_id: string
  /** `place_id` is null for a zone. */
  readonly target: { readonly place_id: string | null; readonly label: string }
}

/** The user shared, withdrew or archived places. Read the places again, and store the version of that answer. */
export interface PlacesChangedEvent extends UserEvent {
  readonly type: "places.changed"
  readonly places_version: number
}

/** The sensitive scopes will end soon. The service sends this event 14 and 7 days before the end. */
export interface SensitiveExpiringEvent extends UserEvent {
  readonly type: "sensitive.expiring"
  readonly sensitive_expires_at: string
  readonly days_left: 14 | 7
  readonly scopes: ReadonlyArray<EventSensitiveScope>
}

/** The sensitive scopes ended. Until the grace period ends, the user can renew them with one confirmation. */
export interface SensitiveLapsedEvent extends UserEvent {
  readonly type: "sensitive.lapsed"
  readonly sensitive_expires_at: string
  readonly renewal_grace_ends_at: string
  readonly scopes: ReadonlyArray<EventSensitiveScope>
}

/** The grace period of the sensitive scopes ended. To use `scopes` again, the app needs the full consent. */
export interface SensitiveRemovedEvent extends UserEvent {
  readonly type: "sensitive.removed"
  readonly scopes: ReadonlyArray<EventSensitiveScope>
}

/** A test that the developer asked for. It is about no user. */
export interface PingEvent extends Envelope {
  readonly type: "ping"
}
