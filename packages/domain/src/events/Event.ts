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

/** What endpoints subscribe to (Spec §6.1). */
export const SUBSCRIBABLE = [
  "rule.fired",
  "places.changed",
  "sensitive.expiring",
  "sensitive.lapsed",
  "sensitive.removed"
] as const
export const Subscribable = Schema.Literal(...SUBSCRIBABLE)
export type Subscribable = typeof Subscribable.Type

/** In catalogue order and without repeats. */
export const normalise = (names: Iterable<Subscribable>): ReadonlyArray<Subscribable> => {
  const set = new Set(names)
  return SUBSCRIBABLE.filter((name) => set.has(name))
}

/** Fired by a rule on a place or a zone. */
export const RuleFired = Schema.Struct({
  type: Schema.Literal("place.enter", "place.exit", "place.dwell", "zone.enter", "zone.exit", "zone.dwell"),
  ruleId: RuleId,
  /** `placeId` is null for a zone (decisions §4). */
  target: Schema.Struct({ placeId: Schema.NullOr(PlaceId), label: Schema.String })
})
export type RuleFired = typeof RuleFired.Type

/** The set of shared places changed. Names none of them: the receiver reads the places (Spec §6.3.4). */
export const PlacesChanged = Schema.Struct({ type: Schema.Literal("places.changed"), placesVersion: Schema.Int })

/** The sensitive tier ends in so many days (Spec §6.3.3). */
export const SensitiveExpiring = Schema.Struct({
  type: Schema.Literal("sensitive.expiring"),
  sensitiveExpiresAt: Timestamp,
  daysLeft: Schema.Literal(14, 7),
  scopes: Schema.Array(SensitiveScope)
})

/** The sensitive tier ended; until the grace is over one confirmation brings it back. */
export const SensitiveLapsed = Schema.Struct({
  type: Schema.Literal("sensitive.lapsed"),
  sensitiveExpiresAt: Timestamp,
  renewalGraceEndsAt: Timestamp,
  scopes: Schema.Array(SensitiveScope)
})

/** The grace ended and the scopes with it. */
export const SensitiveRemoved = Schema.Struct({
  type: Schema.Literal("sensitive.removed"),
  scopes: Schema.Array(SensitiveScope)
})

/** What happened, in the payload's own terms (Spec §6.2). No payload has a coordinate. Stored as it is, as JSON. */
export const Payload = Schema.Union(
  RuleFired,
  PlacesChanged,
  SensitiveExpiring,
  SensitiveLapsed,
  SensitiveRemoved,
  Schema.Struct({ type: Schema.Literal("ping") })
)
export type Payload = typeof Payload.Type

/** Every payload type there is. */
export const Type = Schema.Literal(
  ...RuleFired.fields.type.literals,
  "places.changed",
  "sensitive.expiring",
  "sensitive.lapsed",
  "sensitive.removed",
  "ping"
)
export type Type = Payload["type"]

const isRuleFired = (payload: Payload): payload is RuleFired => "ruleId" in payload

/** The payload types behind the name that endpoints subscribe to. */
export const typesOf = (name: Subscribable): ReadonlyArray<Type> =>
  name === "rule.fired" ? RuleFired.fields.type.literals : [name]

/** The name that an endpoint subscribes to for a payload; undefined for `ping`, which is only ever sent on request. */
export const subscription = (payload: Payload): Subscribable | undefined =>
  isRuleFired(payload) ? "rule.fired" : payload.type === "ping" ? undefined : payload.type

/** The rule that fired; null for what no rule sends. */
export const ruleIdOf = (payload: Payload): RuleId | null => (isRuleFired(payload) ? payload.ruleId : null)

/**
 * What the app learns, in words for the user's access log; undefined when it learns nothing about a person. The ends of a tier
 * are no news: the app was told the dates when the user chose them.
 */
export const disclosure = (payload: Payload): string | undefined => {
  if (payload.type === "places.changed") return "changed which places are shared"
  if (!isRuleFired(payload)) return undefined
  const verb = VERBS[payload.type.slice(payload.type.indexOf(".") + 1)] ?? payload.type
  return `${verb} ${payload.target.label}`
}

const VERBS: Readonly<Record<string, string>> = { enter: "arrived at", exit: "left", dwell: "stayed at" }

/**
 * The scope that must still be effective at every attempt (Spec §6.3.5). Events of the sensitive tier need none: they are sent
 * although those scopes are ending or gone.
 */
export const neededScope = (payload: Payload): Scope | undefined => {
  if (isRuleFired(payload)) return payload.type.startsWith("zone.") ? "location.rules.zone" : "location.rules.place"
  return payload.type === "places.changed" ? "location.places.watch" : undefined
}

/** An event of one connection, stored with the change that it reports; deliveries are made of it later. */
export interface OutboxEvent {
  readonly userId: UserId
  readonly id: EventId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly payload: Payload
  readonly occurredAt: Timestamp
  /** Only this endpoint address gets it; null: every subscribed endpoint of the app. */
  readonly webhookUrl: string | null
  /** Withheld once older than this; null: delivered at any age. */
  readonly maxEventAgeS: number | null
}

/** What of an event does not depend on the receiver. */
export interface Envelope {
  readonly eventId: EventId
  readonly appId: AppId
  /** Absent for `ping`. */
  readonly grantId: ConnectionId | null
  readonly payload: Payload
  readonly occurredAt: Timestamp
}

/** What all who are told of an event get the same. */
export const envelope = (event: OutboxEvent): Envelope => ({
  eventId: event.id,
  appId: event.appId,
  grantId: event.connectionId,
  payload: event.payload,
  occurredAt: event.occurredAt
})

/** The JSON body for one endpoint: the same text at every attempt (Spec §6.2). */
export const body = (envelope: Envelope, endpointId: EndpointId): string =>
  isRuleFired(envelope.payload) && envelope.grantId !== null
    ? // What is nearly always sent, in one go.
      JSON.stringify({
        event_id: envelope.eventId,
        app_id: envelope.appId,
        endpoint_id: endpointId,
        type: envelope.payload.type,
        occurred_at: toIso(envelope.occurredAt),
        grant_id: envelope.grantId,
        rule_id: envelope.payload.ruleId,
        target: targetOf(envelope.payload)
      })
    : JSON.stringify({
        event_id: envelope.eventId,
        app_id: envelope.appId,
        endpoint_id: endpointId,
        ...common(envelope)
      })

/** The same for a receiver from before apps had endpoints (Spec §6.4.8): a subscription, or null for a rule's own address. */
export const legacyBody = (envelope: Envelope, subscriptionId: SubscriptionId | null): string =>
  JSON.stringify({
    event_id: envelope.eventId,
    ...(subscriptionId === null ? {} : { subscription_id: subscriptionId }),
    ...common(envelope)
  })

const common = ({ grantId, occurredAt, payload }: Envelope): object => ({
  type: payload.type,
  occurred_at: toIso(occurredAt),
  ...(grantId === null ? {} : { grant_id: grantId }),
  ...details(payload)
})

const details = (payload: Payload): object => {
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
    default:
      return { rule_id: payload.ruleId, target: targetOf(payload) }
  }
}

const targetOf = ({ target }: RuleFired) => ({ place_id: target.placeId, label: target.label })
