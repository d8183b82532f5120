/**
 * The bodies that an endpoint gets, parsed (Spec §6.2). Types only. More may come: an endpoint that subscribes to all events gets
 * those, too, so a receiver ignores a `type` that it does not know.
 */
export type WebhookEvent =
  | RuleFiredEvent
  | PlacesChangedEvent
  | SensitiveExpiringEvent
  | SensitiveLapsedEvent
  | SensitiveRemovedEvent
  | PingEvent

interface Envelope {
  /** The same in every delivery of the event, to whichever endpoint and however often: skip what you handled before. */
  readonly event_id: string
  readonly app_id: string
  readonly endpoint_id: string
  /** ISO 8601 in UTC, with milliseconds; like every time here. */
  readonly occurred_at: string
}

interface UserEvent extends Envelope {
  /** The connection: one user's approval of your app. */
  readonly grant_id: string
}

export type SensitiveScope = "location.latest.read" | "location.history.read" | "location.lookup"

/** A rule on a place or a zone fired. */
export interface RuleFiredEvent extends UserEvent {
  readonly type: "place.enter" | "place.exit" | "place.dwell" | "zone.enter" | "zone.exit" | "zone.dwell"
  readonly rule_id: string
  /** `place_id` is null for a zone. */
  readonly target: { readonly place_id: string | null; readonly label: string }
}

/** Places were shared or withdrawn: read them, and keep the version of that answer. */
export interface PlacesChangedEvent extends UserEvent {
  readonly type: "places.changed"
  readonly places_version: number
}

/** Comes 14 and 7 days before the sensitive scopes end. */
export interface SensitiveExpiringEvent extends UserEvent {
  readonly type: "sensitive.expiring"
  readonly sensitive_expires_at: string
  readonly days_left: 14 | 7
  readonly scopes: ReadonlyArray<SensitiveScope>
}

/** The sensitive scopes ended; until the grace is over the user can renew them with one confirmation. */
export interface SensitiveLapsedEvent extends UserEvent {
  readonly type: "sensitive.lapsed"
  readonly sensitive_expires_at: string
  readonly renewal_grace_ends_at: string
  readonly scopes: ReadonlyArray<SensitiveScope>
}

/** The grace is over: these scopes need consent from the beginning. */
export interface SensitiveRemovedEvent extends UserEvent {
  readonly type: "sensitive.removed"
  readonly scopes: ReadonlyArray<SensitiveScope>
}

/** A test that the developer asked for; about no user. */
export interface PingEvent extends Envelope {
  readonly type: "ping"
}
