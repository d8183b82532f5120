import { Schema } from "effect"
import { brand } from "./Errors.js"

/**
 * Opaque identifiers (Spec §2). `Entropy.id` makes most of them, and a few are derived from a hash, such as the ids of
 * sessions. No program reads a meaning from the text of an id.
 */
const id = <B extends string>(name: B) =>
  Schema.String.pipe(Schema.minLength(1), Schema.maxLength(64), Schema.pattern(/^[A-Za-z0-9_-]+$/), brand(name))

export const UserId = id("UserId")
export type UserId = typeof UserId.Type
export const AppId = id("AppId")
export type AppId = typeof AppId.Type
export const ConnectionId = id("ConnectionId")
export type ConnectionId = typeof ConnectionId.Type

/** The id of a user for one app. It is the same after a reconnect, and different for each app (Spec §2.1). */
export const Sub = id("Sub")
export type Sub = typeof Sub.Type
export const ConsentRequestId = id("ConsentRequestId")
export type ConsentRequestId = typeof ConsentRequestId.Type

/**
 * The id of a token family: the access and refresh tokens that follow from the exchange of one authorization code. A
 * reconnect starts a new family.
 */
export const FamilyId = id("FamilyId")
export type FamilyId = typeof FamilyId.Type
export const PurposeId = id("PurposeId")
export type PurposeId = typeof PurposeId.Type
export const PlaceId = id("PlaceId")
export type PlaceId = typeof PlaceId.Type
export const DeviceId = id("DeviceId")
export type DeviceId = typeof DeviceId.Type
export const ExportId = id("ExportId")
export type ExportId = typeof ExportId.Type
export const ImportId = id("ImportId")
export type ImportId = typeof ImportId.Type
export const RuleId = id("RuleId")
export type RuleId = typeof RuleId.Type
export const EventId = id("EventId")
export type EventId = typeof EventId.Type
export const EndpointId = id("EndpointId")
export type EndpointId = typeof EndpointId.Type

/** The id of a developer's machine that receives an app's events while `npm run listen` runs on it. */
export const ListenerId = id("ListenerId")
export type ListenerId = typeof ListenerId.Type

/** The id of a legacy subscription, which sends the events of one connection to one URL (Spec §4.8). */
export const SubscriptionId = id("SubscriptionId")
export type SubscriptionId = typeof SubscriptionId.Type
export const DeliveryId = id("DeliveryId")
export type DeliveryId = typeof DeliveryId.Type
export const AccessLogEntryId = id("AccessLogEntryId")
export type AccessLogEntryId = typeof AccessLogEntryId.Type
export const ReviewDecisionId = id("ReviewDecisionId")
export type ReviewDecisionId = typeof ReviewDecisionId.Type

/** The id of a signed-in browser in its owner's list of sessions. */
export const SessionId = id("SessionId")
export type SessionId = typeof SessionId.Type

/** The id of a worker process, from its start to its end. */
export const WorkerId = id("WorkerId")
export type WorkerId = typeof WorkerId.Type

/** The id of a membership in the team of an app. */
export const MemberId = id("MemberId")
export type MemberId = typeof MemberId.Type

/** The id of an invitation into the team of an app. */
export const InvitationId = id("InvitationId")
export type InvitationId = typeof InvitationId.Type
