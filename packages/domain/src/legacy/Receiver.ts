// Receivers of webhooks that were set up before apps had endpoints (decision legacy-1).
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import type { AppId, ConnectionId, RuleId, SubscriptionId, UserId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Sealed } from "../shared/Vault.js"

/** An address to which the events of one connection are sent, as it was done before apps had endpoints (Spec §4.8). */
export interface Subscription {
  readonly userId: UserId
  readonly id: SubscriptionId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly url: EndpointUrl
  /** The subscription's encrypted signing secret. */
  readonly sealed: Sealed
  readonly createdAt: Timestamp
}

export const MAX_PER_CONNECTION = 5

/**
 * An address with a signing secret that belongs to a rule or to a connection, and not to the app (Spec §6.4.8). The
 * address of a rule gets the firings of this rule, which go to no endpoint and no subscription. A subscription gets the
 * firings of the connection's rules that name no address.
 */
export type LegacyReceiver =
  | { readonly _tag: "Rule"; readonly id: RuleId; readonly url: EndpointUrl; readonly sealed: Sealed }
  | { readonly _tag: "Subscription"; readonly id: SubscriptionId; readonly url: EndpointUrl; readonly sealed: Sealed }

/**
 * The encryption context of a receiver's secret. A secret that is copied into the row of another receiver cannot be
 * decrypted there.
 */
export const sealContext = (userId: UserId, id: RuleId | SubscriptionId): string => `legacy-secret ${userId} ${id}`
