import { Schema } from "effect"

/** Opaque identifiers (Spec §2). Every id is made by `Entropy.id` and never parsed for meaning. */
const id = <B extends string>(brand: B) =>
  Schema.String.pipe(Schema.minLength(1), Schema.maxLength(64), Schema.pattern(/^[A-Za-z0-9_-]+$/), Schema.brand(brand))

export const UserId = id("UserId")
export type UserId = typeof UserId.Type

export const AppId = id("AppId")
export type AppId = typeof AppId.Type

export const ConnectionId = id("ConnectionId")
export type ConnectionId = typeof ConnectionId.Type

/** The user as one app sees them: stable across reconnects, different for each app (Spec §2.1). */
export const Sub = id("Sub")
export type Sub = typeof Sub.Type

export const ConsentRequestId = id("ConsentRequestId")
export type ConsentRequestId = typeof ConsentRequestId.Type

/** One chain of refresh tokens; a reconnect starts a new one. */
export const FamilyId = id("FamilyId")
export type FamilyId = typeof FamilyId.Type

export const PurposeId = id("PurposeId")
export type PurposeId = typeof PurposeId.Type

export const PlaceId = id("PlaceId")
export type PlaceId = typeof PlaceId.Type

export const DeviceId = id("DeviceId")
export type DeviceId = typeof DeviceId.Type

export const ImportId = id("ImportId")
export type ImportId = typeof ImportId.Type

export const RuleId = id("RuleId")
export type RuleId = typeof RuleId.Type

export const EventId = id("EventId")
export type EventId = typeof EventId.Type

export const EndpointId = id("EndpointId")
export type EndpointId = typeof EndpointId.Type

/** Of a developer's machine that is told an app's events for as long as it listens. */
export const ListenerId = id("ListenerId")
export type ListenerId = typeof ListenerId.Type

/** Of a per-connection subscription, which apps had before they had endpoints (Spec §4.8). */
export const SubscriptionId = id("SubscriptionId")
export type SubscriptionId = typeof SubscriptionId.Type

export const DeliveryId = id("DeliveryId")
export type DeliveryId = typeof DeliveryId.Type

export const AccessLogEntryId = id("AccessLogEntryId")
export type AccessLogEntryId = typeof AccessLogEntryId.Type

export const ReviewDecisionId = id("ReviewDecisionId")
export type ReviewDecisionId = typeof ReviewDecisionId.Type
