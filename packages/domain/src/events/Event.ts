// Events, their payloads and their bodies (decision events-3).
import { Schema } from "effect"
import {
  type AppId,
  type ConnectionId,
  type EndpointId,
  type EventId,
  PlaceId,
  RuleId,
  type SubscriptionId,
  type UserId
} from "../shared/Ids.js"
import { type Scope, SensitiveScope } from "../shared/Scope.js"
import { Timestamp, toIso } from "../shared/Timestamp.js"

/** The names that endpoints can subscribe to (Spec §6.1). */
export const SUBSCRIBABLE = [
  "rule.fired",
  "places.changed",
  "sensitive.expiring",
  "sensitive.lapsed",
  "sensitive.removed"
] as const
export const Subscribable = Schema.Literal(...SUBSCRIBABLE)
export type Subscribable = typeof Subscribable.Type

/** The names in the order of `SUBSCRIBABLE`, without repeats. */
export const normalise = (names: Iterable<Subscribable>): ReadonlyArray<Subscribable> => {
  const set = new Set(names)
  return SUBSCRIBABLE.filter((name) => set.has(name))
}

/** A rule on a place or a zone fired. */
export const RuleFired = Schema.Struct({
  type: Schema.Literal("place.enter", "place.exit", "place.dwell", "zone.enter", "zone.exit", "zone.dwell"),
  ruleId: RuleId,
  /** The place or zone of the rule. `placeId` is null for a zone (decisions §4). */
  target: Schema.Struct({ placeId: Schema.NullOr(PlaceId), label: Schema.String })
})
export type RuleFired = typeof RuleFired.Type

/**
 * The set of shared places changed: the user chose other places, or archived a shared place. The event names no place;
 * the receiver must ask for the shared places (Spec §6.3.4).
 */
export const PlacesChanged = Schema.Struct({ type: Schema.Literal("places.changed"), placesVersion: Schema.Int })

/** The sensitive tier ends in 14 or 7 days (Spec §6.3.3). */
export const SensitiveExpiring = Schema.Struct({
  type: Schema.Literal("sensitive.expiring"),
  sensitiveExpiresAt: Timestamp,
  daysLeft: Schema.Literal(14, 7),
  scopes: Schema.Array(SensitiveScope)
})

/** The sensitive tier ended. During the grace period, the user can renew it with one confirmation. */
export const SensitiveLapsed = Schema.Struct({
  type: Schema.Literal("sensitive.lapsed"),
  sensitiveExpiresAt: Timestamp,
  renewalGraceEndsAt: Timestamp,
  scopes: Schema.Array(SensitiveScope)
})

/** The grace period ended, and the sensitive scopes are removed. */
export const SensitiveRemoved = Schema.Struct({
  type: Schema.Literal("sensitive.removed"),
  scopes: Schema.Array(SensitiveScope)
})

/**
 * The type of an event and the fields of that type (Spec §6.2). No payload has a coordinate. Stores keep payloads as
 * JSON.
 */
export const Payload = Schema.Union(
  RuleFired,
  PlacesChanged,
  SensitiveExpiring,
  SensitiveLapsed,
  SensitiveRemoved,
  Schema.Struct({ type: Schema.Literal("ping") })
)
export type Payload = typeof Payload.Type

export const EventType = Schema.Literal(
  ...RuleFired.fields.type.literals,
  "places.changed",
  "sensitive.expiring",
  "sensitive.lapsed",
  "sensitive.removed",
  "ping"
) satisfies Schema.Schema<Payload["type"]>
export type EventType = Payload["type"]

const isRuleFired = (payload: Payload): payload is RuleFired => "ruleId" in payload

/** The types of the events that an endpoint gets when it subscribes to this name. */
export const typesOf = (name: Subscribable): ReadonlyArray<EventType> =>
  name === "rule.fired" ? RuleFired.fields.type.literals : [name]

/** The name that an endpoint subscribes to for this payload; undefined for `ping`, which is sent only on request. */
export const subscription = (payload: Payload): Subscribable | undefined =>
  isRuleFired(payload) ? "rule.fired" : payload.type === "ping" ? undefined : payload.type

/** The rule that fired; null for other events. */
export const ruleIdOf = (payload: Payload): RuleId | null => (isRuleFired(payload) ? payload.ruleId : null)

/**
 * What the app learns about the person from the event, in words for the user's access log. Undefined when the app
 * learns nothing about a person. Events about the end of the sensitive tier disclose nothing, because the app learned
 * the end date when the user chose it.
 */
export const disclosure = (payload: Payload): string | undefined =>
  isRuleFired(payload) ? `${VERBS[payload.type]} ${payload.target.label}` : NEWS[payload.type]

const VERBS: Readonly<Record<RuleFired["type"], string>> = {
  "place.enter": "arrived at",
  "place.exit": "left",
  "place.dwell": "stayed at",
  "zone.enter": "arrived at",
  "zone.exit": "left",
  "zone.dwell": "stayed at"
}

const NEWS: Readonly<Record<Exclude<EventType, RuleFired["type"]>, string | undefined>> = {
  "places.changed": "changed which places are shared",
  "sensitive.expiring": undefined,
  "sensitive.lapsed": undefined,
  "sensitive.removed": undefined,
  ping: undefined
}

/**
 * The scope that the app needs at each attempt to send the event (Spec §6.3.5). Undefined for `ping` and for the events
 * about the sensitive tier, which need no scope.
 */
export const neededScope = (payload: Payload): Scope | undefined => NEEDED_SCOPES[payload.type]

const NEEDED_SCOPES: Readonly<Record<EventType, Scope | undefined>> = {
  "place.enter": "location.rules.place",
  "place.exit": "location.rules.place",
  "place.dwell": "location.rules.place",
  "zone.enter": "location.rules.zone",
  "zone.exit": "location.rules.zone",
  "zone.dwell": "location.rules.zone",
  "places.changed": "location.places.watch",
  "sensitive.expiring": undefined,
  "sensitive.lapsed": undefined,
  "sensitive.removed": undefined,
  ping: undefined
}

/**
 * An event of a connection. A store commits the event together with the change that the event reports. Later a worker
 * makes deliveries from the event (fan-out).
 */
export interface OutboxEvent {
  readonly userId: UserId
  readonly id: EventId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly payload: Payload
  readonly occurredAt: Timestamp
  /**
   * The address that the event's rule names: of the app's endpoints, only those with this address get the event (none
   * if the rule was imported). Null: every endpoint that subscribes to the event gets it.
   */
  readonly webhookUrl: string | null
  /** The maximum age of the event in seconds: an older event is not sent. Null: the event is sent at any age. */
  readonly maxEventAgeS: number | null
}

/**
 * An event in the outbox. `storedAt` becomes the creation time of the event's deliveries, which is part of the key of
 * the event's access-log entry. So a fan-out that is repeated after a crash writes the same entry, and not a second
 * one.
 */
export interface WaitingEvent extends OutboxEvent {
  readonly storedAt: Timestamp
  /**
   * Present when the event occurred while the account of the person or of the app's holder was suspended. No receiver
   * gets the event, and nothing that a developer reads may show that the event occurred (decision staff-1).
   */
  readonly wasSuspended?: true
}

/** The part of an event that is the same for every receiver. */
export interface Envelope {
  readonly eventId: EventId
  readonly appId: AppId
  /** The id of the connection that the event is about; null for `ping`. */
  readonly grantId: ConnectionId | null
  readonly payload: Payload
  readonly occurredAt: Timestamp
  /**
   * Present in a sample that a developer requested as a test. A sample is not about a user, and its body says that it
   * is a sample.
   */
  readonly isSample?: true | undefined
}

/** The part of `event` that is the same for every receiver. */
export const envelope = (event: OutboxEvent): Envelope => ({
  eventId: event.id,
  appId: event.appId,
  grantId: event.connectionId,
  payload: event.payload,
  occurredAt: event.occurredAt
})

/** The JSON body for one endpoint, the same at every attempt (Spec §6.2). */
export const body = (envelope: Envelope, endpointId: EndpointId): string =>
  JSON.stringify({
    event_id: envelope.eventId,
    app_id: envelope.appId,
    endpoint_id: endpointId,
    ...common(envelope)
  })

/**
 * The JSON body for a legacy receiver (Spec §6.4.8). `subscriptionId` is null when the receiver is the address of an
 * imported rule.
 */
export const legacyBody = (envelope: Envelope, subscriptionId: SubscriptionId | null): string =>
  JSON.stringify({
    event_id: envelope.eventId,
    ...(subscriptionId === null ? {} : { subscription_id: subscriptionId }),
    ...common(envelope)
  })

const common = ({ grantId, isSample, occurredAt, payload }: Envelope): object => ({
  type: payload.type,
  occurred_at: toIso(occurredAt),
  ...(isSample === true ? { sample: true } : {}),
  ...(grantId === null ? {} : { grant_id: grantId }),
  ...details(payload)
})

const details = (payload: Payload): object => {
  if (isRuleFired(payload)) {
    const { placeId, label } = payload.target
    return { rule_id: payload.ruleId, target: { place_id: placeId, label } }
  }
  switch (payload.type) {
    case "ping":
      return {}
    case "places.changed":
      return { places_version: payload.placesVersion }
    case "sensitive.expiring":
      return {
        sensitive_expires_at: toIso(payload.sensitiveExpiresAt),
        days_left: payload.daysLeft,
        scopes: payload.scopes
      }
    case "sensitive.lapsed":
      return {
        sensitive_expires_at: toIso(payload.sensitiveExpiresAt),
        renewal_grace_ends_at: toIso(payload.renewalGraceEndsAt),
        scopes: payload.scopes
      }
    case "sensitive.removed":
      return { scopes: payload.scopes }
  }
}
